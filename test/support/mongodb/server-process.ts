import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export type Launch = {
  command: string;
  arguments: readonly string[];
  /** Matches the line printed when the server is ready; its group `port` is the port. */
  ready: RegExp;
};

export type ServerProcess = {
  port: number;
  pid: number | undefined;
  /** Sends SIGTERM, and resolves when the process has ended; does nothing if it has ended already. */
  stop: () => Promise<void>;
  /** Sends SIGKILL, and resolves when the process has ended. */
  kill: () => Promise<void>;
};

const startLimitMs = 60_000;
const stopLimitMs = 60_000;

/** Starts a server as its own process, which never outlives this one. Resolves once it serves. */
export async function startServerProcess({ command, arguments: args, ready }: Launch): Promise<ServerProcess> {
  // Its standard input stays open while this process lives, so the child can detect that its parent was killed.
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => resolve(signal)),
  );
  const stopWithUs = () => void child.kill();
  process.once('exit', stopWithUs);
  child.once('exit', () => process.off('exit', stopWithUs));

  const end = async (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const tooLong = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
    const killedBy = await exited;
    clearTimeout(tooLong);
    if (killedBy === 'SIGKILL' && signal !== 'SIGKILL') throw new Error(`${command} did not stop in ${stopLimitMs} ms`);
  };

  const port = await servesAt(child, command, ready).catch(async (error: unknown) => {
    await end('SIGKILL');
    throw error;
  });
  return { port, pid: child.pid, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

function servesAt(child: ChildProcess, command: string, ready: RegExp): Promise<number> {
  const printed: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error([`${command} ${what}`, ...printed.slice(-20)].join('\n')));
    const tooLong = setTimeout(() => fail(`was not ready in ${startLimitMs} ms`), startLimitMs);
    const read = (line: string) => {
      printed.push(line);
      const port = ready.exec(line)?.groups?.port;
      if (port === undefined) return;
      clearTimeout(tooLong);
      resolve(Number(port));
    };
    for (const output of [child.stdout, child.stderr]) if (output) createInterface({ input: output }).on('line', read);
    child.once('error', (error) => fail(`did not start: ${error.message}`));
    child.once('close', (code) => {
      clearTimeout(tooLong);
      fail(`ended with ${code} before it was ready`);
    });
  });
}
