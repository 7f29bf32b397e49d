import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { startService, untilReady } from '../../processes/processes.js';
import { now, startSink } from '../../support/arrivals.js';
import { publish, registerListener } from '../../support/flow-events.js';
import { median } from '../../support/in-turns.js';
import { appendListeners } from '../../support/listeners.js';
import { peakResidentMb } from '../../support/process-activity.js';
import { report, reportBound } from '../../support/report.js';

type Statement = { type: string; name: string; sql: string };

/** Seconds to insert the rows of a database into a copy of its schema, in one synced transaction; reads them before. */
export function insertAll(file: string): number {
  const source = new Database(file, { readonly: true });
  const schema = source
    .prepare<[], Statement>(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'",
    )
    .all();
  const copy = new Database(join(temporaryDirectory(), 'bare.db'));
  copy.pragma('journal_mode = WAL');
  copy.pragma('synchronous = FULL');
  for (const { sql } of schema) copy.exec(sql);

  const tables = schema
    .filter(({ type }) => type === 'table')
    .map(({ name }) => {
      const rows = source.prepare<[], unknown[]>(`SELECT * FROM ${name}`).raw().all();
      const places = (rows[0] ?? []).map(() => '?').join();
      return { rows, insert: rows.length > 0 ? copy.prepare(`INSERT INTO ${name} VALUES (${places})`) : undefined };
    });
  const startedAt = performance.now();
  copy.transaction(() => {
    for (const { insert, rows } of tables) for (const row of rows) insert?.run(row);
  })();
  const seconds = (performance.now() - startedAt) / 1_000;
  copy.close();
  source.close();
  return seconds;
}

const listeners = 100_000;
const rounds = 3;

/** Enqueues one event to all listeners; nothing is delivered, because the only slot hangs until its deadline. */
const settings = { DELIVERY_CONCURRENCY: '1', STOP_TIMEOUT: '0s' };
const warmUpType = 'flow.started';
const sink = await startSink(1, { listeners: 'hang' });

type Measured = { ours: number; peer: number; residentMb: number | undefined };

async function measure(): Promise<Measured> {
  const directory = temporaryDirectory();
  await appendListeners(directory, listeners, () => `${sink.origin}/hook/${randomUUID()}`);
  const building = await startService(directory, 1, settings);
  await untilReady(building);
  await building.stop(); // frees the memory of building the views
  const service = await startService(directory, 1, settings);
  const queue = openSqliteDeliveryQueue({ directory });
  const untilWaiting = async (count: number) => {
    while ((await queue.counts(Date.now())).waiting < count) await pause(10);
  };
  await untilReady(service);
  await registerListener(service, `${sink.origin}/warm-up`, warmUpType);
  await publish(service, randomUUID(), warmUpType);
  await untilWaiting(1); // the fan-out has passed all listeners, and the slot is taken

  const startedAt = now();
  await publish(service, randomUUID());
  await untilWaiting(1 + listeners);
  const seconds = (now() - startedAt) / 1_000;
  const residentMb = peakResidentMb(service.pid);
  await queue.close();
  await service.stop();
  return { ours: listeners / seconds, peer: listeners / insertAll(join(directory, 'deliveries.db')), residentMb };
}

const measured: Measured[] = [];
for (let round = 0; round < rounds; round += 1) measured.push(await measure());
report({
  figure:
    'one event to 100,000 listeners, from publish to the last enqueued, against a bare loop that inserts the same rows in one transaction',
  ours: median(measured.map(({ ours }) => ours)),
  peer: median(measured.map(({ peer }) => peer)),
  unit: 'deliveries/s',
  target: { atLeast: 0.4 },
});
const resident = measured.flatMap(({ residentMb }) => residentMb ?? []);
if (resident.length > 0) {
  reportBound({
    figure: 'the most that the service held resident meanwhile, from its start on',
    ours: Math.max(...resident),
    unit: 'MiB',
    target: { atMost: 300 },
  });
}
await sink.stop();
