import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Outcome of test files that ran in a process. */
export type Outcome = {
  passed: number;
  failures: readonly { file: string; title: string; why: string }[];
  /** By file. */
  seconds: ReadonlyMap<string, number>;
  printed: string;
};
type Options = { environment?: NodeJS.ProcessEnv; silenceMs?: number; signal?: AbortSignal };
/** A line that `reporter.cjs` writes. */
type Report = { kind: string; file: string; title: string; limitMs: number; why: string };

const mocha = createRequire(import.meta.url).resolve('mocha/lib/cli/cli.js');
const reporter = resolve('test/support/run/reporter.cjs');
const graceMs = 10_000;

/**
 * Runs compiled test files in a process, one after the other. It ends with its group: nothing that a test starts remains. A process
 * that ends before its last test, or reports nothing for `silenceMs` (or the longer limit of a test), is a failure of the test under way.
 */
export async function runFiles(
  files: readonly string[],
  { environment = {}, silenceMs = 120_000, signal }: Options = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, ['--enable-source-maps', mocha, '--reporter', reporter, ...files], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(child, 'close');
  const failures: { file: string; title: string; why: string }[] = [];
  const seconds = new Map<string, number>();
  let [passed, printed, hasEnded, sinceMs] = [0, '', false, performance.now()];
  let current = { file: files[0] ?? '', title: 'loading the files' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));

  const fail = (why: string) => failures.push({ ...current, why });
  const end = (why: string) => {
    if (signalGroup(child, 'SIGKILL')) fail(why);
  };
  const watch = (limitMs: number) => setTimeout(end, limitMs, `reported nothing for ${limitMs / 1_000} s`);
  let watchdog = watch(silenceMs);
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    const { kind, file, title, limitMs, why } = JSON.parse(line) as Report;
    clearTimeout(watchdog);
    watchdog = watch(limitMs > silenceMs ? limitMs + graceMs : silenceMs);
    if (title) current = { file: file ?? current.file, title };
    if (kind === 'pass') passed += 1;
    if (kind === 'fail') fail(why);
    if (kind === 'end') hasEnded = true;
    if (kind !== 'suite end') return;
    seconds.set(file, (seconds.get(file) ?? 0) + (performance.now() - sinceMs) / 1_000);
    sinceMs = performance.now();
  });
  const interrupt = () => void child.kill('SIGINT');
  signal?.addEventListener('abort', interrupt);
  if (signal?.aborted) interrupt();
  const [code, endedBy] = await once(child, 'exit');
  signalGroup(child, 'SIGKILL');
  await closed;
  clearTimeout(watchdog);
  signal?.removeEventListener('abort', interrupt);
  if (failures.length === 0 && (!hasEnded || code !== 0)) fail(`the process ended: ${endedBy ?? code}`);
  return { passed, failures, seconds, printed };
}

/** Returns whether there was a process to signal. */
function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): boolean {
  try {
    return pid > 0 && process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
