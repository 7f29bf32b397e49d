import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ownEnvironment } from '../own-environment.js';
import { startProcess } from '../process.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { until } from '../until.js';
import type { ReceiverProgram } from './receiver-programs.js';

export type RunningReceiver = {
  /** The bodies that it has stored, by `webhook-id`. */
  inbox: () => ReadonlyMap<string, string>;
  /** Resolves once it has ended. */
  stop: () => Promise<unknown>;
};

type Options = {
  port: number;
  /** A secret or a public key. */
  key: string;
  /** Working directory, with its inbox; a new one by default. */
  directory?: string;
};

/** Starts a receiver and waits until it listens. Rejects, with what it printed, if it ends before. */
export async function startReceiverProgram(
  { program, args, environment }: ReceiverProgram,
  { port, key, directory = temporaryDirectory() }: Options,
): Promise<RunningReceiver> {
  const env = { ...ownEnvironment(), ...environment, HOME: process.env.HOME, PORT: `${port}`, LISTENER_KEY: key };
  const { isRunning, printed, stop } = startProcess(program, args, { cwd: directory, env });
  await until(async () => !isRunning() || (await accepts(port)), `${program} to listen`, { everyMs: 50 });
  if (!isRunning()) throw new Error(`${program} ended: ${printed()}`);
  return { inbox: () => stored(join(directory, 'inbox')), stop: () => stop('SIGKILL') };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

function stored(inbox: string): ReadonlyMap<string, string> {
  const complete = readdirSync(inbox).filter((name) => name.endsWith('.json'));
  return new Map(complete.map((name) => [name.replace('.json', ''), readFileSync(join(inbox, name), 'utf8')]));
}
