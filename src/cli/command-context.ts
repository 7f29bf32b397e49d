import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../deliveries/sqlite/sqlite-delivery-queue.js';
import type { Cause } from '../event-store/codec.js';
import type { EventStore } from '../event-store/event-store.js';
import { openSqliteEventStore } from '../event-store/sqlite/sqlite-event-store.js';
import type { ReadModel } from '../read-model/read-model.js';
import { openSqliteReadModel } from '../read-model/sqlite/sqlite-read-model.js';
import { NoStore } from './failure.js';
import type { Output } from './output.js';

export type Stores = {
  readonly events: () => EventStore;
  readonly readModel: () => ReadModel;
  readonly deliveries: () => DeliveryQueue;
};

export type CommandContext = {
  readonly output: Output;
  readonly dataDirectory: string;
  /** Opens what the work asks for, and closes it whatever happens. A service may be running beside it. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
  /** In the history, a command of an operator is by who ran it. */
  readonly cause: Cause;
};

/** What every command has, from the options that every command takes. */
export function contextOf(command: Command): CommandContext {
  const { dataDir, json } = command.optsWithGlobals<{ dataDir: string; json?: boolean }>();
  const dataDirectory = resolve(dataDir);
  return {
    output: { json: json === true, write: (line) => process.stdout.write(`${line}\n`) },
    dataDirectory,
    withStores: (work) => withStores(dataDirectory, work),
    cause: { actor: `operator:${userInfo().username}`, correlationId: crypto.randomUUID() },
  };
}

async function withStores<Result>(directory: string, work: (stores: Stores) => Promise<Result>): Promise<Result> {
  if (!existsSync(join(directory, 'events.db'))) {
    throw new NoStore(
      `there is no store in ${directory}: start the service once, or name another directory with --data-dir`,
    );
  }
  const opened: { close(): Promise<void> }[] = [];
  const once = <Store extends { close(): Promise<void> }>(open: () => Store): (() => Store) => {
    let store: Store | undefined;
    return () => {
      if (store === undefined) {
        store = open();
        opened.push(store);
      }
      return store;
    };
  };
  try {
    return await work({
      events: once(() => openSqliteEventStore({ directory })),
      readModel: once(() => openSqliteReadModel({ directory })),
      deliveries: once(() => openSqliteDeliveryQueue({ directory })),
    });
  } finally {
    for (const store of opened.reverse()) await store.close();
  }
}
