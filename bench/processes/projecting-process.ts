import { join } from 'node:path';
import Database from 'better-sqlite3';
import { listenersView } from '../../projections/listeners.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';

type Read = { events: number; seconds: number };

async function project(directory: string): Promise<Read> {
  const store = openSqliteEventStore({ directory });
  const readModel = openSqliteReadModel({ directory });
  const { events, seconds } = await rebuild({ store, readModel, projection: listenersView });
  await readModel.close();
  await store.close();
  return { events, seconds };
}

function iterate(directory: string): Read {
  const database = new Database(join(directory, 'events.db'), { readonly: true });
  const rows = database.prepare<[], Row>('SELECT * FROM events ORDER BY position').iterate();
  const startedAt = performance.now();
  let events = 0;
  for (const row of rows) {
    JSON.parse(row.data);
    JSON.parse(row.metadata);
    events += 1;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  database.close();
  return { events, seconds };
}

type Row = { data: string; metadata: string };

/** Measures its memory alone, as a separate process. */
const [what, directory = ''] = process.argv.slice(2);
const read = what === 'project' ? await project(directory) : iterate(directory);
process.send?.({ ...read, residentMb: process.resourceUsage().maxRSS / 1_024 });
