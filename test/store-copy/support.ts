import { openQueueRestore, restoreMark } from '../../src/queue/mongodb/commands/restore.js';
import { openQueueDump } from '../../src/queue/sqlite/commands/dump.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { type CopyTarget, copyStore } from '../../src/store-copy/copy-store.js';
import type { EventStore, NewEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { MongoDatabase } from '../../src/stores/mongodb/mongodb-database.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

export const newEvent = (fields: Partial<NewEvent> = {}): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'flow.done',
  data: { orgId: 'acme', text: 'Zürich 🎉' },
  metadata: { recordedAt: '2025-01-01T00:00:00.000Z' },
  ...fields,
});

/** An embedded store, open for tests that write it. */
export function embeddedStore(directory: string = temporaryDirectory()) {
  const events = openSqliteEventStore({ directory });
  const queue = openSqliteDeliveryQueue({ directory });
  const dump = openQueueDump(directory);
  return {
    events,
    queue,
    source: { events, queue: dump },
    async close() {
      dump.close();
      await queue.close();
      await events.close();
    },
  };
}

export type Embedded = ReturnType<typeof embeddedStore>;

export const targetOn = (events: EventStore, database: MongoDatabase): CopyTarget => ({
  events,
  queue: () => openQueueRestore(database),
  mark: restoreMark(database),
});

export const copy = ({ source }: Embedded, target: CopyTarget) => copyStore(source, target, () => undefined);
