import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SettingsReader } from '../service/config/settings.js';
import { readCluster } from '../service/config/shared-settings.js';
import { type Stores, type StoresAt, withStores } from '../service/stores/command-stores.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { Output } from './output.js';

export type CommandContext = StoresAt & {
  readonly output: Output;
  /** Runs work with stores that open at first use, and closes them afterwards. A service may run at the same time. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
  /** The cause recorded in events: the operating system's user who ran the command. */
  readonly cause: Cause;
};

/** The context of a command, from its options and the environment. Throws `InvalidSetting` where only one store URL is set. */
export function contextOf(command: Command): CommandContext {
  const at: StoresAt = { dataDirectory: dataDirectoryOf(command), cluster: clusterOf(new SettingsReader(process.env)) };
  return {
    ...at,
    output: outputOf(command),
    withStores: (work) => withStores(at, work),
    cause: { actor: `operator:${userInfo().username}`, correlationId: crypto.randomUUID() },
  };
}

/** Absolute. */
export const dataDirectoryOf = (command: Command): string =>
  resolve(command.optsWithGlobals<{ dataDir: string }>().dataDir);

export const outputOf = (command: Command): Output => ({
  json: command.optsWithGlobals<{ json?: boolean }>().json === true,
  write: (line) => process.stdout.write(`${line}\n`),
});

/** Reads the store URLs with the service's checks. */
function clusterOf(settings: SettingsReader): StoresAt['cluster'] {
  const cluster = readCluster(settings);
  for (const problem of settings.problems) throw problem;
  return cluster;
}
