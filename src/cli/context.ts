import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SettingsReader } from '../service/config/settings.js';
import { readCluster } from '../service/config/shared-settings.js';
import { type Stores, withStores } from '../service/stores/command-stores.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Output } from './output.js';

export type CommandContext = ReturnType<typeof contextOf>;

/** The context of a command, from its options and the environment. */
export function contextOf(command: Command) {
  const { dataDir, json = false } = command.optsWithGlobals<{ dataDir: string; json?: boolean }>();
  const dataDirectory = resolve(dataDir);
  const output: Output = { json, write: (line) => process.stdout.write(`${line}\n`) };
  const cause: Cause = { actor: `operator:${userInfo().username}`, correlationId: crypto.randomUUID() };
  /** Undefined: the embedded store. Throws `InvalidSetting` where only one store URL is set. */
  const cluster = () => readSettings(readCluster);
  /** Runs work with stores that open at first use, and closes them afterwards. A service may run at the same time. */
  const withOpened = async <Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> =>
    withStores({ dataDirectory, cluster: cluster() }, work);
  return {
    output,
    dataDirectory,
    cluster,
    withStores: withOpened,
    withEventStore: <Result>(work: (store: EventStore) => Promise<Result>) =>
      withOpened(async (stores) => work(await stores.events())),
    causeNow: () => ({ cause, now: new Date() }),
  };
}

/** Settings of the environment, with the service's checks. Throws `InvalidSetting`. */
export function readSettings<Settings>(read: (settings: SettingsReader) => Settings): Settings {
  const settings = new SettingsReader(process.env);
  const found = read(settings);
  for (const problem of settings.problems) throw problem;
  return found;
}
