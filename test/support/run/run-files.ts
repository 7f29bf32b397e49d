import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readReport, type TestRun } from './report.js';

const mocha = createRequire(import.meta.url).resolve('mocha/lib/cli/cli.js');
const guard = fileURLToPath(new URL('fast-guard.js', import.meta.url));
const longestRunMs = 900_000;

const running = new Set<ChildProcess>();
process.once('exit', () => signalAll('SIGKILL'));

/**
 * Runs test files in a process of their own. Where that ends otherwise than mocha does after the last test, for instance by a
 * crash or `process.exit`, or takes more than 15 minutes, this is a failure too. `guarded`: no test may start a process or a server.
 */
export async function runFiles(
  files: readonly string[],
  { guarded = false, environment = {} }: { guarded?: boolean; environment?: Readonly<Record<string, string>> } = {},
): Promise<TestRun> {
  const args = ['--enable-source-maps', mocha, ...(guarded ? ['--require', guard] : []), ...files];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, with all that the tests start
  });
  running.add(child);
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const tooLong = setTimeout(() => signalGroup(child, 'SIGKILL'), longestRunMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(tooLong);
  running.delete(child);
  return readReport(files, Buffer.concat(printed).toString(), signal ?? code);
}

let interrupted = false;

/** Ends the tests under way as Ctrl-C does, so that they clean up; at the second call at once. */
export function interruptRuns(): void {
  signalAll(interrupted ? 'SIGKILL' : 'SIGINT');
  interrupted = true;
}

function signalAll(signal: NodeJS.Signals): void {
  for (const child of running) signalGroup(child, signal);
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended by itself
  }
}
