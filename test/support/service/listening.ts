import { spawn } from 'node:child_process';
import { until } from '../until.js';
import { type CliPlace, cli, environmentOf } from './cli.js';

export type Listening = {
  hookUrl: string;
  /** All that it has printed so far. */
  printed: () => string;
  stop: () => void;
};

/** Runs `flow-hooks listen` on a free port, and waits until it listens. */
export async function startListening(place: CliPlace): Promise<Listening> {
  const child = spawn(process.execPath, [cli, 'listen', '--port', '0'], {
    env: environmentOf(place),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const hookUrl = () => /http:\/\/\S+\/hook/.exec(printed)?.[0];
  await until(() => hookUrl() !== undefined, 'flow-hooks listen to be ready');
  return { hookUrl: hookUrl() ?? '', printed: () => printed, stop: () => void child.kill() };
}
