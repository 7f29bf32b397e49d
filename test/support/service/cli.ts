import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../own-environment.js';
import { type RunningProcess, startProcess } from '../process.js';

export const cli = fileURLToPath(new URL('../../../../bin/flow-hooks.js', import.meta.url));

export type CliResult = { code: number | null; stdout: string; stderr: string };

/** Place beside a service: the name of its data directory, or the environment that it was started with. */
export type CliPlace = string | Readonly<Record<string, string>>;

export const environmentOf = (place: CliPlace): NodeJS.ProcessEnv => ({
  ...ownEnvironment(),
  ...(typeof place === 'string' ? { DATA_DIR: place } : place),
});

/** Starts `flow-hooks` as an operator does. */
export const startCli = (place: CliPlace, ...args: readonly string[]): RunningProcess =>
  startCliOf(cli, place, ...args);

/** The same, with the program of another release. */
export const startCliOf = (program: string, place: CliPlace, ...args: readonly string[]): RunningProcess =>
  startProcess(process.execPath, [program, ...args], { env: environmentOf(place) });

/** Runs `flow-hooks`, and waits for its end. */
export async function runCli(place: CliPlace, ...args: readonly string[]): Promise<CliResult> {
  const { ended, stdout, stderr } = startCli(place, ...args);
  const { code } = await ended;
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Works as `runCli` with `--json`: returns the values that it printed. */
export async function runCliForJson(place: CliPlace, ...args: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await runCli(place, '--json', ...args);
  if (code !== 0) throw new Error(`flow-hooks ${args.join(' ')} ended with ${code}: ${stderr}`);
  return jsonLines(stdout);
}

/** The values that a command with `--json` printed, one on each line. */
export const jsonLines = (stdout: string): readonly unknown[] =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
