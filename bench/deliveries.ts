import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteDeliveryQueue } from '../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { post, rateOf, startModule, startService } from './processes.js';
import { median, report } from './report.js';

const callers = 64;
const rounds = 3;
const events = 20_000;
const warmUpEvents = 4_000;
const bodyBytes = 505;

/** A flow event whose delivered body is `bodyBytes` long: what the envelope adds has a fixed length. */
const id = '00000000-0000-4000-8000-000000000000';
const envelope = { id, type: 'flow.completed', timestamp: '2026-01-01T12:00:00.000Z', orgId: 'org-1', flowId: id };
const text = 'x'.repeat(bodyBytes - JSON.stringify({ ...envelope, data: { text: '' } }).length);
const delivered = JSON.stringify({ ...envelope, data: { text } });
const published = JSON.stringify({ orgId: 'org-1', type: 'flow.completed', data: { text } });

const sink = await startModule('sink', callers);
const directory = temporaryDirectory();
const service = await startService(directory, callers);
const queue = openSqliteDeliveryQueue({ directory }); // read beside the service

/** Deliveries a second, from the first publish to the last recorded 2xx. */
async function ours(count: number): Promise<number> {
  const { succeeded } = await queue.counts(Date.now());
  const startedAt = performance.now();
  await rateOf(callers, count, async () => {
    await post(service, { path: '/api/flows', body: published, expected: 202 });
  });
  while ((await queue.counts(Date.now())).succeeded < succeeded + count) await pause(5);
  return count / ((performance.now() - startedAt) / 1_000);
}

const bare = (count: number): Promise<number> =>
  rateOf(callers, count, async () => {
    await post(sink, { path: '/bare', body: delivered, expected: 200 });
  });

await post(service, {
  path: '/api/hooks/subscribe/flows',
  headers: { orgid: 'org-1', userid: 'user-1' },
  body: JSON.stringify({ hookUrl: `${sink.origin}/hook`, subscriptionType: 'flow.completed' }),
  expected: 201,
});
await ours(warmUpEvents);
await bare(warmUpEvents);
const rates = { ours: [] as number[], peer: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  rates.ours.push(await ours(events));
  rates.peer.push(await bare(events));
}
report({
  figure: 'deliveries, 20,000 published over HTTP by 64 callers, to 2xx recorded, against a bare undici pool',
  ours: median(rates.ours),
  peer: median(rates.peer),
  unit: 'deliveries/s',
  target: { atLeast: 0.16 },
});
await queue.close();
await service.stop();
await sink.stop();
