import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../../bin/flow-hooks.js', import.meta.url));

export type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs `flow-hooks` as an operator does, and waits for its end. */
export async function runCli(dataDirectory: string, ...args: readonly string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDirectory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      output[stream] += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** As `runCli` with `--json`: the values that it printed. */
export async function runCliForJson(dataDirectory: string, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runCli(dataDirectory, '--json', ...args);
  if (code !== 0) throw new Error(`flow-hooks ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
