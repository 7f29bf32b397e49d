import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../own-environment.js';

export const cli = fileURLToPath(new URL('../../../../bin/flow-hooks.js', import.meta.url));

export type CliResult = { code: number | null; stdout: string; stderr: string };

/** Place beside a service: the name of its data directory, or the environment that it was started with. */
export type CliPlace = string | Readonly<Record<string, string>>;

export const environmentOf = (place: CliPlace): NodeJS.ProcessEnv => ({
  ...ownEnvironment(),
  ...(typeof place === 'string' ? { DATA_DIR: place } : place),
});

/** Runs `flow-hooks` as an operator does, and waits for its end. */
export const runCli = (place: CliPlace, ...args: readonly string[]): Promise<CliResult> =>
  runCliOf(cli, place, ...args);

/** The same, with the program of another release. */
export async function runCliOf(program: string, place: CliPlace, ...args: readonly string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [program, ...args], {
    env: environmentOf(place),
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

/** Works as `runCli` with `--json`: returns the values that it printed. */
export async function runCliForJson(place: CliPlace, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runCli(place, '--json', ...args);
  if (code !== 0) throw new Error(`flow-hooks ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
