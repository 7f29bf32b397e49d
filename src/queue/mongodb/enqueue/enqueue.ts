import { checkpointsOf, type FanOutBatch, type FanOutCheckpoint } from '../../fan-out-batch.js';
import { isFlowEvent, noActivity } from '../../policy/activity.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { Checkpoints } from '../checkpoints.js';
import { type MessageRow, messageKey } from '../collections.js';
import type { SetAsideStore } from '../commands/set-aside.js';
import { putListeners } from '../listeners/put-listeners.js';
import { openReadListeners } from '../listeners/read-listeners.js';
import type { Shared } from '../shared.js';
import { requireListeners, statesIn, toRow } from './delivery-rows.js';
import type { Messages } from './put-messages.js';
import { openWriteDeliveries, type WriteParts } from './write-deliveries.js';

type Parts = WriteParts & {
  setAside: SetAsideStore;
  checkpoints: Checkpoints;
  bodies: Messages;
};

/** `timeOf`: time of a delivery that was to be attempted before the batch. `inserted`: IDs of the rows that were not there before. */
export type WriteBatch = (
  batch: FanOutBatch,
  time: CallTime,
  timeOf?: (delivery: { id: string }) => CallTime,
) => Promise<{ added: number; inserted: ReadonlySet<string> }>;

/**
 * Writes a batch of the fan-out, without a transaction: every step is repeatable, a delivery is inserted after the
 * documents that it needs, and the checkpoint moves last. A batch that was interrupted is completed when it is enqueued
 * again.
 */
export function openWriteBatch(shared: Shared, parts: Parts): WriteBatch {
  const { collections, statistics, calm, underWay, partitions, invalidateOthers } = shared;
  const { messages, listeners } = collections;
  const { replays, checkpoints, bodies } = parts;
  const listenersOf = openReadListeners(shared).known;
  const write = openWriteDeliveries(shared, bodies, parts);

  /** The positions of the deliveries' messages, by `messageKey`. */
  async function positionsFor(batch: FanOutBatch): Promise<ReadonlyMap<string, bigint>> {
    const positions = new Map(batch.messages.map((message) => [messageKey(message), message.position]));
    const missing = new Set(batch.deliveries.map(messageKey).filter((key) => !positions.has(key)));
    if (missing.size === 0) return positions;
    const found = messages
      .find({ _id: { $in: [...missing] } })
      .project<Pick<MessageRow, '_id' | 'position'>>({ position: 1 });
    for await (const { _id, position } of found) positions.set(_id, position);
    return positions;
  }

  return async (batch, time, timeOf = () => time) => {
    const { messages: given } = batch;
    const isReplay = batch.deliveries.some(({ replay }) => replay !== undefined);
    await checkpoints.require(checkpointsOf(batch));
    const [{ existing, publishedAgain }] = await Promise.all([
      bodies.put(given, isReplay),
      parts.setAside.put(batch.setAside),
    ]);
    const [known, positions, cancelled] = await Promise.all([
      listenersOf([...batch.listeners, ...batch.deliveries].map(({ listenerId }) => listenerId)),
      positionsFor(batch),
      replays.cancelledOf(batch.deliveries),
    ]);
    requireListeners(batch, known);
    const { changed, later } = await putListeners(listeners, {
      given: batch.listeners,
      known,
      now: time.queueNow,
      partitions,
    });
    const stateOf = statesIn(batch, { known, cancelled });
    const rows = batch.deliveries.map((delivery) => {
      const state = stateOf(delivery);
      return toRow(delivery, { position: positions.get(messageKey(delivery)), state, time: timeOf(delivery) });
    });
    const newRows = rows.filter((row) => !publishedAgain.has(messageKey(row)));
    const isKnown = new Set([...publishedAgain, ...existing.map(messageKey)]);
    for (const listenerId of changed) calm.forget(listenerId);
    await invalidateOthers(later);
    const { added, inserted } = await write(batch, { rows: newRows, existing, time });
    // The owner keeps deliveries of an ordered listener in memory as long as it knows of none that waits.
    await invalidateOthers(newRows.filter(({ listenerId }) => known.get(listenerId)?.subscription?.ordered));
    await parts.setAside.change(batch.setAsideChanges ?? []);
    underWay.lookAgain(changed);
    const events = given.filter((each) => !isKnown.has(messageKey(each)) && isFlowEvent(each, isReplay));
    statistics.addActivity({ ...noActivity, events: events.length }, time.now);
    const isMoved = ({ position, follows }: FanOutCheckpoint) => position >= 0n || !follows; // others only name their terms
    await checkpoints.move(checkpointsOf(batch).filter(isMoved));
    return { added, inserted };
  };
}
