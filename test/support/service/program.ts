import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Program = {
  /** The lines it has printed so far. */
  lines: readonly string[];
  /** `kill -9`; resolves once it is gone. */
  kill: () => Promise<void>;
  /** Resolves once it has ended by itself and everything it printed is in `lines`. Rejects where it failed. */
  ended: () => Promise<void>;
};

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL'); // none outlives the tests, also after an error
});

/** Runs a module of the tests as its own process. */
export function runProgram(module: URL, ...args: readonly string[]): Program {
  const child: ChildProcess = spawn(process.execPath, [module.pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const lines: string[] = [];
  const exited = once(child, 'exit');
  const closed =
    child.stdout &&
    once(
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line)),
      'close',
    );
  return {
    lines,
    async kill() {
      child.kill('SIGKILL');
      await Promise.all([exited, closed]);
    },
    async ended() {
      const [[code]] = await Promise.all([exited, closed]);
      if (code !== 0) throw new Error(`${module.pathname} ended with ${code}`);
    },
  };
}
