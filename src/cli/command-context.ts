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
  /** Opens what the work asks for, and closes it whatever happens. A service may be running beside it. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
  /** In the history, a command of an operator is by who ran it. */
  readonly cause: Cause;
};

/** What every command has, from its options and the environment. Throws `InvalidSetting` where half a cluster is set. */
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

/** The service's own check. */
function clusterOf(settings: SettingsReader): StoresAt['cluster'] {
  const cluster = readCluster(settings);
  for (const problem of settings.problems) throw problem;
  return cluster;
}
