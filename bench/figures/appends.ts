import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { EventStore, NewEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { rateOf } from '../processes/processes.js';
import { mediansInTurns } from '../support/in-turns.js';
import { report } from '../support/report.js';

const callers = 64;
const rounds = 5;
const appends = 20_000;
const bareInserts = 4_000;

const event = (): NewEvent => ({
  id: randomUUID(),
  type: 'flow.completed',
  data: { orgId: 'acme', flowId: 'flow-1', note: 'x'.repeat(400) },
  metadata: { schemaVersion: 1, recordedAt: new Date().toISOString(), actor: 'bench', $correlationId: 'bench' },
});

const ours = (store: EventStore): Promise<number> =>
  rateOf(callers, appends, async () => {
    await store.append(`flow-${randomUUID()}`, [event()], { expectedRevision: 'no-stream' });
  });

function bare(insert: Database.Statement): number {
  const startedAt = performance.now();
  for (let count = 0; count < bareInserts; count += 1) {
    const { id, type, data, metadata } = event();
    insert.run(id, type, JSON.stringify(data), JSON.stringify(metadata));
  }
  return bareInserts / ((performance.now() - startedAt) / 1_000);
}

const store = openSqliteEventStore({ directory: temporaryDirectory() });
const database = new Database(join(temporaryDirectory(), 'bare.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(
  'CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, type TEXT, data TEXT, metadata TEXT)',
);
const insert = database.prepare('INSERT INTO events (id, type, data, metadata) VALUES (?, ?, ?, ?)');

report({
  figure:
    'single appends from 64 callers, against a bare better-sqlite3 loop that commits each event, synchronous FULL',
  ...(await mediansInTurns({ rounds }, { ours: () => ours(store), peer: async () => bare(insert) })),
  unit: 'appends/s',
  target: { atLeast: 3 },
});
await store.close();
database.close();
