import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { signatures, signingKey } from '../../src/deliveries/worker/signed-headers.js';
import { openBare } from './bare-database.js';
import type { BareEvent } from './bare-pipeline.js';

/** Thread of the bare pipeline: signs, posts, and records the answers in groups of 20 ms. */
const { directory, hookUrl } = workerData as { directory: string; hookUrl: string };
const underWayAtMost = 64;
const gatherMs = 20;
const { origin, pathname: path } = new URL(hookUrl);
const pool = new Pool(origin, { connections: underWayAtMost });
const key = signingKey(`whsec_${randomBytes(32).toString('base64')}`);
const database = openBare(
  directory,
  'deliveries.db',
  'deliveries (id TEXT UNIQUE, body TEXT, status INTEGER, at INTEGER)',
);
const insert = database.prepare('INSERT INTO deliveries VALUES (?, ?, ?, ?)');

type Delivered = BareEvent & { status: number };
const insertAll = database.transaction((all: readonly Delivered[]) => {
  for (const { id, body, status } of all) insert.run(id, body, status, Date.now());
});
const events: BareEvent[] = [];
let underWay = 0;
let delivered: Delivered[] = [];
let recorded = 0;
let wanted = Number.POSITIVE_INFINITY;

function record(): void {
  insertAll(delivered);
  recorded += delivered.length;
  delivered = [];
  report();
}

function report(): void {
  if (recorded < wanted) return;
  parentPort?.postMessage(recorded);
  recorded = 0;
  wanted = Number.POSITIVE_INFINITY;
}

function postNext(): void {
  while (underWay < underWayAtMost) {
    const event = events.shift();
    if (!event) return;
    post(event);
  }
}

function post(event: BareEvent): void {
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures([key], { id: event.id, timestamp, body: event.body }),
  };
  let status = 0;
  underWay += 1;
  pool.dispatch(
    { method: 'POST', path, headers, body: event.body },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_, code) => {
        if (code !== 200) throw new Error(`the listener answered ${code}`);
        status = code;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => {
        underWay -= 1;
        if (delivered.push({ id: event.id, body: event.body, status }) === 1) setTimeout(record, gatherMs);
        postNext();
      },
      onResponseError: (_, error) => {
        throw error;
      },
    },
  );
}

parentPort?.on('message', (message: readonly BareEvent[] | number) => {
  if (typeof message === 'number') wanted = message;
  else events.push(...message);
  postNext();
  report();
});
