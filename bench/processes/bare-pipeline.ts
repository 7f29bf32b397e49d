import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { listen } from '../../src/http/listen.js';
import { walSync } from '../../src/stores/sqlite/wal-sync.js';
import { openBare } from './bare-database.js';

export type BareEvent = { id: string; body: string };

/**
 * Minimal durable pipeline on the service's packages and threads: no authentication, checks or queries, one listener.
 * Asked for a number, it answers once that many deliveries are recorded.
 */
const [directory = '', hookUrl = ''] = process.argv.slice(2);
const database = openBare(directory, 'events.db', 'events (position INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)');
const insert = database.prepare('INSERT INTO events (id, body) VALUES (?, ?)');
const log = walSync(database);
const poster = new Worker(new URL('./bare-poster.js', import.meta.url), { workerData: { directory, hookUrl } });
poster.on('message', (recorded: number) => process.send?.(recorded));

const appendAll = database.transaction((events: readonly BareEvent[]) => {
  for (const { id, body } of events) insert.run(id, body);
});
let waiting: { event: BareEvent; resolve: () => void }[] = [];
let isAppending = false;

const append = (event: BareEvent): Promise<void> =>
  new Promise((resolve) => {
    waiting.push({ event, resolve });
    if (!isAppending) void appendWaiting();
  });

async function appendWaiting(): Promise<void> {
  isAppending = true;
  await nextTurn();
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    const events = group.map(({ event }) => event);
    appendAll(events);
    await log.synced();
    poster.postMessage(events);
    for (const { resolve } of group) resolve();
    await nextTurn();
  }
  isAppending = false;
}

const app = new Koa();
app.use(bodyParser());
app.use(async (ctx) => {
  const { id = '', type, orgId, data } = ctx.request.body as Record<string, string>; // the benchmark sends no other
  await append({ id, body: JSON.stringify({ id, type, timestamp: new Date(), orgId, flowId: id, data }) });
  ctx.status = 202;
  ctx.body = { id };
});
const { origin } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
process.on('message', (count: number) => poster.postMessage(count));
process.once('disconnect', () => process.exit());
process.send?.({ origin });
