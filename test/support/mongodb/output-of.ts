import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The program's standard output; undefined if the program is missing or fails. */
export async function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return run(program, [...args], { timeout: 60_000 }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
