import type { Filter } from 'mongodb';
import { inBatches } from '../../../kernel/in-batches.js';
import type { DeliveryQuery, Redelivered } from '../../delivery-log.js';
import { redeliveryPage, redeliveryQuery } from '../../delivery-pages.js';
import type { Released } from '../../fan-out-batch.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';
import { cursorOf, type ListDeliveries } from '../log/list-deliveries.js';
import type { Shared } from '../shared.js';

const unchanged = ({ _id, state, attempts, requests }: Row): Filter<DeliveryRow> => ({
  _id,
  state,
  attempts,
  requests: requests ?? { $exists: false },
});

/** Makes the delivery due now. It is `unannounced` until the listener's due bound includes it. */
const dueNow = (now: number) => ({
  $set: { state: 'waiting' as const, dueAt: new Date(now), unannounced: true as const },
  $unset: { endedAt: '' as const },
});

type Row = Pick<DeliveryRow, '_id' | 'listenerId' | 'state' | 'attempts' | 'requests'>;

/** Maximum number of rounds: an outcome may change the delivery between the read and the write. */
const maxRounds = 5;
/** Maximum number of deliveries written concurrently. */
const concurrency = 20;

/**
 * Makes deliveries due now. One that is under way is due again after its attempt, regardless of the outcome. After an
 * interruption, the deliveries written so far are due a minute later.
 */
export function openRedeliver(
  { collections: { listeners, deliveries }, statistics, announced, calm, invalidateOthers }: Shared,
  list: ListDeliveries,
): (query: DeliveryQuery, time: CallTime) => Promise<Redelivered> {
  /** The listeners whose deliveries may start, with whether they are ordered. */
  async function servedOf(rows: readonly DeliveryRow[]): Promise<ReadonlyMap<string, boolean>> {
    const ids = [...new Set(rows.map(({ listenerId }) => listenerId))];
    const served = { _id: { $in: ids }, closed: false, paused: { $ne: true } };
    const found = await listeners
      .find(served)
      .project<Pick<ListenerRow, '_id' | 'subscription'>>({ subscription: 1 })
      .toArray();
    return new Map(found.map(({ _id, subscription }) => [_id, subscription?.ordered === true]));
  }

  /** Returns the row as it was before the update, or undefined if it was not made due. */
  async function makeDue(listed: Row, now: number): Promise<Row | undefined> {
    let row: Row | null = listed;
    for (let round = 1; row && round <= maxRounds; round += 1) {
      const { matchedCount } = await deliveries.updateOne(unchanged(row), { ...dueNow(now), $inc: { requests: 1 } });
      if (matchedCount === 1) return row;
      row = await deliveries.findOne<Row>({ _id: row._id }, { projection: { log: 0 } });
    }
    return undefined;
  }

  return async (query, { queueNow: now }) => {
    const listed = await list(redeliveryQuery(query));
    const served = await servedOf(listed);
    const { selected, next } = redeliveryPage(listed, query, {
      isServed: ({ listenerId }) => served.has(listenerId),
      cursorOf,
    });
    // Sequentially if a listener is ordered: a concurrent lease then finds no delivery out of order.
    const size = selected.some(({ listenerId }) => served.get(listenerId)) ? 1 : concurrency;
    const made = (await inBatches(selected, (row) => makeDue(row, now), size)).flatMap((row) => row ?? []);
    await announced.announce(made.map(({ _id, listenerId }) => ({ _id, listenerId, dueAt: new Date(now) })));
    for (const { listenerId } of made) calm.forget(listenerId); // rows that were read ahead are not as they were
    await invalidateOthers(selected.filter(({ listenerId }) => served.get(listenerId)));
    for (const { state } of made) statistics.addStates(state === 'waiting' ? {} : { [state]: -1, waiting: 1 });
    return { redelivered: made.length, next };
  };
}

/** Maximum number of deliveries released by one command, to bound its duration. */
const batchSize = 1_000;

/** Makes a listener's held deliveries due, the earliest flow event first, as long as the listener is not paused. Repeatable. */
export function openReleaseHeld({
  collections: { listeners, deliveries },
  statistics,
  announced,
}: Shared): (released: Released, now: number) => Promise<void> {
  const served = (_id: string) =>
    listeners.findOne({ _id, closed: false, paused: { $ne: true } }, { projection: { _id: 1 } });

  return async ({ listenerId, before }, now) => {
    while (await served(listenerId)) {
      const rows = await deliveries
        .find({ listenerId, state: 'held', position: { $lt: before } })
        .project<Row>({ listenerId: 1, state: 1, attempts: 1, requests: 1 })
        .sort({ position: 1, _id: 1 })
        .limit(batchSize)
        .toArray();
      if (rows.length === 0) return;
      // Ordered: a concurrent lease then finds no delivery before its predecessors.
      const { modifiedCount } = await deliveries.bulkWrite(
        rows.map((row) => ({ updateOne: { filter: unchanged(row), update: dueNow(now) } })),
        { ordered: true },
      );
      statistics.addStates({ held: -modifiedCount, waiting: modifiedCount });
      await announced.announce(rows.map(({ _id }) => ({ _id, listenerId, dueAt: new Date(now) })));
    }
  };
}
