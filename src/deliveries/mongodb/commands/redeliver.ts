import type { Filter, UpdateFilter } from 'mongodb';
import { inBatches } from '../../../kernel/in-batches.js';
import type { DeliveryQuery, Redelivered } from '../../queue/delivery-log.js';
import { redeliveryPage, redeliveryQuery } from '../../queue/delivery-pages.js';
import type { Released } from '../../queue/leasing.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';
import { cursorOf, type ListDeliveries, type ListedRow } from '../log/list-deliveries.js';
import type { Times } from '../server-clock.js';
import type { Shared } from '../shared.js';

/** A worker holds an unexpired lease, even if the delivery was withdrawn meanwhile. */
const isLeased = ({ lease, leasableAt }: ListedRow, { serverNow }: Times): boolean =>
  lease !== undefined && leasableAt.getTime() > serverNow;

const unchanged = ({ _id, state, lease, leasableAt }: ListedRow): Filter<DeliveryRow> => ({
  _id,
  state,
  leasableAt,
  lease: lease ?? { $exists: false },
});

/**
 * Makes the delivery due now, or after the attempt under way. `leaseCheckAt` covers it until the listener's due hint includes
 * it.
 */
function dueNow(row: ListedRow, times: Times): UpdateFilter<DeliveryRow> {
  const now = new Date(times.now);
  if (isLeased(row, times)) {
    return { $set: { state: 'waiting', dueAt: now, leaseCheckAt: row.leasableAt }, $unset: { endedAt: '' } };
  }
  return {
    $set: { state: 'waiting', dueAt: now, leasableAt: now, leaseCheckAt: new Date(times.serverNow) },
    $unset: { endedAt: '', lease: '', redeliveryRequestedAt: '' },
  };
}

/** Maximum number of rounds: a lease and its outcome may each change the delivery between the read and the write. */
const maxRounds = 5;
/** Maximum number of deliveries written concurrently. */
const concurrency = 20;

/**
 * Makes deliveries due now. After an interruption, the deliveries written so far are due at the latest with the next
 * lease check.
 */
export function openRedeliver(
  { collections: { listeners, deliveries }, statistics, freed, clock }: Shared,
  list: ListDeliveries,
): (query: DeliveryQuery, time: CallTime) => Promise<Redelivered> {
  /** The listeners whose deliveries may start, with whether they are ordered. */
  async function servedOf(rows: readonly ListedRow[]): Promise<ReadonlyMap<string, boolean>> {
    const ids = [...new Set(rows.map(({ listenerId }) => listenerId))];
    const served = { _id: { $in: ids }, closed: false, paused: { $ne: true } };
    const found = await listeners
      .find(served)
      .project<Pick<ListenerRow, '_id' | 'subscription'>>({ subscription: 1 })
      .toArray();
    return new Map(found.map(({ _id, subscription }) => [_id, subscription?.ordered === true]));
  }

  /** Returns the row as it was before the update, or undefined if it was not made due. */
  async function makeDue(listed: ListedRow, times: Times): Promise<ListedRow | undefined> {
    let row: ListedRow | null = listed;
    for (let round = 1; row && round <= maxRounds; round += 1) {
      const { matchedCount } = await deliveries.updateOne(unchanged(row), dueAgain(row, times));
      if (matchedCount === 1) return row;
      row = await deliveries.findOne<ListedRow>({ _id: row._id }, { projection: { log: 0 } });
    }
    return undefined;
  }

  return async (query, { queueNow: now }) => {
    const listed = await list(redeliveryQuery(query));
    const served = await servedOf(listed);
    const { wanted, next } = redeliveryPage(listed, query, {
      isServed: ({ listenerId }) => served.has(listenerId),
      cursorOf,
    });
    // Sequentially if a listener is ordered: a concurrent lease then finds no delivery out of order.
    const size = wanted.some(({ listenerId }) => served.get(listenerId)) ? 1 : concurrency;
    const times = { now, serverNow: await clock.now() };
    const made = (await inBatches(wanted, (row) => makeDue(row, times), size)).flatMap((row) => row ?? []);
    await freed.announce(
      made.flatMap((row) =>
        isLeased(row, times) ? [] : [{ _id: row._id, listenerId: row.listenerId, leasableAt: new Date(now) }],
      ),
    );
    for (const { state } of made) statistics.addStates(state === 'waiting' ? {} : { [state]: -1, waiting: 1 });
    return { redelivered: made.length, next };
  };
}

/** A delivery under lease is due again after that attempt, regardless of the outcome. */
function dueAgain(row: ListedRow, times: Times): UpdateFilter<DeliveryRow> {
  const update = dueNow(row, times);
  return isLeased(row, times)
    ? { ...update, $set: { ...update.$set, redeliveryRequestedAt: new Date(times.now) } }
    : update;
}

/** Maximum number of deliveries released by one command, to bound its duration. */
const batchSize = 1_000;

/** Makes a listener's held deliveries due, the earliest flow event first, as long as the listener is not paused. Repeatable. */
export function openReleaseHeld({
  collections: { listeners, deliveries },
  statistics,
  freed,
  clock,
}: Shared): (released: Released, now: number) => Promise<void> {
  const served = (_id: string) =>
    listeners.findOne({ _id, closed: false, paused: { $ne: true } }, { projection: { _id: 1 } });

  return async ({ listenerId, before }, now) => {
    while (await served(listenerId)) {
      const rows = await deliveries
        .find({ listenerId, state: 'held', position: { $lt: before } })
        .project<ListedRow>({ log: 0 })
        .sort({ position: 1, _id: 1 })
        .limit(batchSize)
        .toArray();
      if (rows.length === 0) return;
      const times = { now, serverNow: await clock.now() };
      // Ordered: a concurrent lease then finds no delivery before its predecessors.
      const { modifiedCount } = await deliveries.bulkWrite(
        rows.map((row) => ({ updateOne: { filter: unchanged(row), update: dueNow(row, times) } })),
        { ordered: true },
      );
      statistics.addStates({ held: -modifiedCount, waiting: modifiedCount });
      const free = rows.filter((row) => !isLeased(row, times));
      await freed.announce(free.map(({ _id }) => ({ _id, listenerId, leasableAt: new Date(now) })));
    }
  };
}
