import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { listen } from '../../src/http/listen.js';

/** Bare Koa, its body parser, and one insert per request, committed with synchronous FULL. */
const [directory = ''] = process.argv.slice(2);
const database = new Database(join(directory, 'listeners.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE listeners (id TEXT PRIMARY KEY, org TEXT, user TEXT, url TEXT, type TEXT)');
const insert = database.prepare('INSERT INTO listeners VALUES (?, ?, ?, ?, ?)');

const app = new Koa();
app.use(bodyParser());
app.use((ctx) => {
  const { hookUrl, subscriptionType } = ctx.request.body as Record<string, string>; // the benchmark sends no other
  const id = randomUUID();
  insert.run(id, ctx.get('orgid'), ctx.get('userid'), hookUrl, subscriptionType);
  ctx.status = 201;
  ctx.body = { id, hookUrl, subscriptionType };
});
const { origin } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit());
process.send?.({ origin });
