import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { newListenerId } from '../../../src/listeners/listener.js';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { checkpointLogs } from '../../../src/stores/sqlite/checkpoint-logs.js';
import { batchOf, emptyBatch, queuedListener } from '../../../test/support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { now } from '../../support/arrivals.js';
import { reportBound } from '../../support/report.js';

const deliveries = 100_000;
const perBatch = 1_000;
const rounds = 3;
/** Lets the checkpoint thread finish the previous change. */
const checkpointsMs = 3_000;

type Change = 'pausing a listener' | 'releasing held deliveries' | 'cancelling a replay' | 'removing a listener';

/** Milliseconds between two turns of the event loop. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const working = work().finally(() => {
    isDone = true;
  });
  for (let before = now(); !isDone; ) {
    await nextTurn();
    const after = now();
    longest = Math.max(longest, after - before);
    before = after;
  }
  await working;
  return longest;
}

async function measure(): Promise<ReadonlyMap<Change, number>> {
  const directory = temporaryDirectory();
  const queue = openSqliteDeliveryQueue({ directory });
  const endCheckpoints = await checkpointLogs([join(directory, 'deliveries.db')], pino({ level: 'silent' }));
  const blocks = new Map<Change, number>();
  async function block(change: Change, work: () => Promise<unknown>): Promise<void> {
    await pause(checkpointsMs);
    blocks.set(change, await longestBlock(work));
  }
  const put = (listener: QueuedListener, rest: Partial<FanOutBatch> = {}) =>
    queue.enqueue({ ...emptyBatch, listeners: [listener], ...rest }, Date.now());
  async function fill(listener: QueuedListener, replay?: string): Promise<void> {
    for (let done = 0; done < deliveries; done += perBatch) {
      const batch = batchOf([listener], perBatch);
      const ofBatch = batch.deliveries.map((each) => ({ ...each, id: randomUUID(), ...(replay && { replay }) }));
      await queue.enqueue({ ...batch, deliveries: ofBatch }, Date.now());
    }
  }

  const listener = queuedListener({ listenerId: newListenerId() });
  const replayed = queuedListener({ listenerId: newListenerId() });
  const replay = randomUUID();
  const resumed = { ...listener, position: 3n };
  const released = [{ listenerId: listener.listenerId, before: BigInt(deliveries) }];
  await fill(listener);
  await fill(replayed, replay);
  await block('pausing a listener', () => put({ ...listener, paused: true, position: 2n }));
  await block('releasing held deliveries', () => put(resumed, { released }));
  await block('cancelling a replay', () => queue.withdraw({ replay }));
  await block('removing a listener', () => queue.withdraw({ listenerId: listener.listenerId }));
  await endCheckpoints();
  await queue.close();
  return blocks;
}

const measured: ReadonlyMap<Change, number>[] = [];
for (let round = 0; round < rounds; round += 1) measured.push(await measure());
for (const change of measured[0]?.keys() ?? []) {
  // The minimum, because noise only adds time.
  const blocks = measured.map((round) => round.get(change) ?? Number.POSITIVE_INFINITY);
  reportBound({
    figure: `${change}, ${deliveries} deliveries on the embedded queue: the longest block of its thread`,
    ours: Math.min(...blocks),
    unit: 'ms',
    target: { atMost: 20 },
  });
}
