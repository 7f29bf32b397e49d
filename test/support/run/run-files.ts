import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

type Failure = { file: string; title: string; why: string };
/** Outcome of test files that ran in a process. */
export type Outcome = {
  passed: number;
  failures: readonly Failure[];
  seconds: ReadonlyMap<string, number>;
  printed: string;
};
/** A line that `reporter.cjs` writes. */
type Report = Failure & { kind: string; limitMs: number };

const mocha = createRequire(import.meta.url).resolve('mocha/lib/cli/cli.js');
const reporter = resolve('test/support/run/reporter.cjs');
const graceMs = 10_000;

/**
 * Runs compiled test files in a process, one after the other. It ends with its group: nothing that a test starts remains. A process
 * that ends before its last test, or reports nothing for `silenceMs` (or the longer limit of a test), is a failure of the test under way.
 */
export async function runFiles(
  files: readonly string[],
  { environment = {}, silenceMs = 120_000 }: { environment?: NodeJS.ProcessEnv; silenceMs?: number } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, ['--enable-source-maps', mocha, '--reporter', reporter, ...files], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const endGroup = () => {
    try {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // all of it has ended
    }
  };
  process.once('exit', endGroup);
  const closed = once(child, 'close');
  const failures: Failure[] = [];
  const seconds = new Map<string, number>();
  let [passed, printed, hasEnded, sinceMs] = [0, '', false, performance.now()];
  let current = { file: files[0] ?? '', title: 'loading the files' };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));

  const silent = (limitMs: number) => {
    failures.push({ ...current, why: `reported nothing for ${limitMs / 1_000} s` });
    endGroup();
  };
  let watchdog = setTimeout(silent, silenceMs, silenceMs);
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    const { kind, file, title, limitMs, why } = JSON.parse(line) as Report;
    clearTimeout(watchdog);
    const nextMs = limitMs > silenceMs ? limitMs + graceMs : silenceMs; // a test may say that it takes longer
    watchdog = setTimeout(silent, nextMs, nextMs);
    if (title) current = { file: file ?? current.file, title };
    if (kind === 'pass') passed += 1;
    if (kind === 'fail') failures.push({ ...current, why });
    if (kind === 'end') hasEnded = true;
    if (kind !== 'suite end') return;
    seconds.set(file, (seconds.get(file) ?? 0) + (performance.now() - sinceMs) / 1_000); // a file may have several suites
    sinceMs = performance.now();
  });
  const [code, endedBy] = await once(child, 'exit');
  endGroup();
  await closed;
  clearTimeout(watchdog);
  process.off('exit', endGroup);
  if (failures.length === 0 && (!hasEnded || code !== 0))
    failures.push({ ...current, why: `the process ended: ${endedBy ?? code}` });
  return { passed, failures, seconds, printed };
}
