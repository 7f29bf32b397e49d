import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A double in its own process, which can be killed, and which never outlives this one. */
export interface DoubleProcess {
  url: string;
  pid: number | undefined;
  /** Posts to the control port; gives the result of the action. */
  tell(action: string, argument?: object): Promise<unknown>;
  /** Gives the exit code, null after a signal that it does not handle. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface DoubleProcessOptions {
  port?: number;
  dataFile?: string;
}

/** Entry in the language, and with the loader, of the process that starts it. */
const main = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url));

export async function startDoubleProcess({ port = 0, dataFile }: DoubleProcessOptions = {}): Promise<DoubleProcess> {
  const data = dataFile === undefined ? [] : ['--data', dataFile];
  const ports = ['--control-port', '0', '--port', String(port)];
  const args = [...process.execArgv, main, ...ports, '--until-stdin-ends', ...data];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const control = await lines.next();
  const url = await lines.next();
  if (url.done) throw new Error('The double did not start.');
  return {
    url: url.value,
    pid: child.pid,
    async tell(action, argument = {}) {
      const response = await fetch(`${control.value}/${action}`, { method: 'POST', body: JSON.stringify(argument) });
      // The control server answers with one of these.
      const { result, error } = (await response.json()) as { result?: unknown; error?: string };
      if (error !== undefined) throw new Error(error);
      return result;
    },
    async kill(signal) {
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}
