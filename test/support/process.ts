import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { ownEnvironment } from './own-environment.js';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type RunningProcess = {
  pid: number;
  /** All that it has printed so far, on both outputs, and on one of them. */
  printed: () => string;
  stdout: () => string;
  stderr: () => string;
  isRunning: () => boolean;
  /** Resolves to the match once it has printed it. If it ends before, or at the limit, it is killed, and the error has all that it printed. */
  prints: (pattern: RegExp, limitMs?: number) => Promise<RegExpExecArray>;
  /** Sends the signal to it if it runs, and resolves when it is gone. */
  stop: (signal?: NodeJS.Signals) => Promise<Exit>;
  /** Resolves when it is gone, and all processes with its outputs are: everything that it printed was read. */
  ended: Promise<Exit>;
};

type ProcessOptions = {
  cwd?: string;
  /** The whole environment; without it, `ownEnvironment`. */
  env?: NodeJS.ProcessEnv;
  /** Standard input that stays open while this process lives, so that the other notices that its parent was killed. */
  staysOpen?: boolean;
};

const children = new Set<ChildProcess>();
// Before temporary directories are removed.
process.prependOnceListener('exit', () => {
  for (const child of children) child.kill('SIGKILL'); // none outlives the tests, also after an error
});

/** Starts a program as its own process. */
export function startProcess(
  program: string,
  args: readonly string[],
  { cwd, env = ownEnvironment(), staysOpen = false }: ProcessOptions = {},
): RunningProcess {
  const child = spawn(program, args, { cwd, env, stdio: [staysOpen ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  children.add(child);
  const output = { printed: '', stdout: '', stderr: '' };
  const add = (text: string, to: 'stdout' | 'stderr') => {
    output.printed += text;
    output[to] += text;
  };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => add(text, name));
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const exited = new Promise<Exit>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      children.delete(child);
      resolve({ code, signal });
    };
    child.once('exit', end).once('error', (error) => {
      add(`${error.message}\n`, 'stderr');
      end(null, null);
    });
  });
  const ended = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));

  async function prints(pattern: RegExp, limitMs = 60_000): Promise<RegExpExecArray> {
    const startedAt = performance.now();
    for (;;) {
      if (!isRunning()) await Promise.race([ended, pause(1_000)]); // its last output
      const found = pattern.exec(output.printed);
      if (found) return found;
      const isTooLong = performance.now() - startedAt > limitMs;
      if (isTooLong || !isRunning()) {
        child.kill('SIGKILL');
        const state = isTooLong ? `ran for ${limitMs} ms` : `ended with ${child.exitCode ?? child.signalCode}`;
        throw new Error(`${program} ${state} without printing ${pattern}:\n${output.printed}`);
      }
      await pause(5);
    }
  }

  return {
    pid: child.pid ?? 0,
    printed: () => output.printed,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    isRunning,
    prints,
    ended,
    async stop(signal = 'SIGTERM') {
      if (isRunning()) child.kill(signal);
      return exited;
    },
  };
}

/** Starts a module of the tests as its own process. */
export const startModule = (module: URL, ...args: readonly string[]): RunningProcess =>
  startProcess(process.execPath, [module.pathname, ...args]);
