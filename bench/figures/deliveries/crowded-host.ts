import { setTimeout as pause } from 'node:timers/promises';
import { startWorker } from '../../../src/deliveries/worker/worker.js';
import { newListenerId } from '../../../src/listeners/listener.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, queuedListener } from '../../../test/support/deliveries/delivery-batches.js';
import { answered, workerSettings } from '../../../test/support/deliveries/worker-settings.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { reportBound } from '../../support/report.js';

/** Deliveries at a host with few connections, up to 3,000 listeners. */
const concurrency = 256;
const perHost = 8;
const answerMs = 20;

async function releasedPerDelivered(
  organisations: number,
  listenersOfEach: number,
  deliveriesPerListener: number,
): Promise<number> {
  const queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  let released = 0;
  let succeeded = 0;
  const record: typeof queue.record = (outcomes, now) => {
    for (const { kind } of outcomes) {
      if (kind === 'released') released += 1;
      if (kind === 'succeeded') succeeded += 1;
    }
    return queue.record(outcomes, now);
  };
  const deliveries = organisations * listenersOfEach * deliveriesPerListener;
  for (let organisation = 0; organisation < organisations; organisation += 1) {
    const listeners = Array.from({ length: listenersOfEach }, (_, listener) =>
      queuedListener({
        listenerId: newListenerId(),
        orgId: `org-${organisation}`,
        hookUrl: `https://hooks.example.com/${organisation}/${listener}`,
      }),
    );
    await queue.enqueue(batchOf(listeners, deliveriesPerListener), Date.now());
  }
  const worker = startWorker(
    workerSettings(
      { ...queue, record },
      {
        concurrency,
        perListener: concurrency / 4,
        perOrganisation: concurrency / 2,
        perHost,
        pollMs: 250,
        post: async ({ mayStart }) => {
          if (!mayStart()) return { kind: 'withheld' };
          await pause(answerMs);
          return answered;
        },
      },
    ),
  );
  while (succeeded < deliveries) await pause(20);
  await worker.stop(1_000);
  await queue.close();
  return released / succeeded;
}

for (const [organisations, listenersOfEach, deliveriesPerListener] of [
  [1, 1, 10],
  [1, 100, 10],
  [10, 1, 10],
  [10, 20, 10],
  [200, 1, 10],
  [30, 100, 1],
] as const) {
  reportBound({
    figure: `deliveries leased and given back for each one delivered, ${organisations} organisations with ${listenersOfEach} listeners each at a host with ${perHost} connections`,
    ours: await releasedPerDelivered(organisations, listenersOfEach, deliveriesPerListener),
    unit: 'leases',
    target: { atMost: 0.5 },
  });
}
