import type { UpdateFilter } from 'mongodb';
import { inBatches } from '../../../kernel/in-batches.js';
import type { DeliveryQuery, Redelivered } from '../../queue/delivery-log.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import { redeliveryPage, redeliveryQuery } from '../../queue/policy/redelivery.js';
import type { Collections, DeliveryRow, ListenerRow } from '../collections.js';
import type { FreedDeliveries } from '../lease/freed-deliveries.js';
import { cursorOf, type ListDeliveries, type ListedRow } from '../log/list-deliveries.js';
import type { ServerClock, Times } from '../server-clock.js';
import type { Tally } from '../tally.js';
import { dueNow, isLeased, unchanged } from './make-due.js';

type Parts = {
  readonly tally: Tally;
  readonly freed: FreedDeliveries;
  readonly clock: ServerClock;
  readonly list: ListDeliveries;
};

/** Maximum number of rounds: a lease and its outcome may each change the delivery between the read and the write. */
const maxRounds = 5;
/** Maximum number of deliveries written concurrently. */
const concurrency = 20;

/**
 * Makes deliveries due now. After an interruption, the deliveries written so far are due at the latest with the next
 * lease check.
 */
export function redeliverer(
  { listeners, deliveries }: Collections,
  { tally, freed, clock, list }: Parts,
): (query: DeliveryQuery, time: CallTime) => Promise<Redelivered> {
  /** The listeners whose deliveries may start, with whether they are ordered. */
  async function servedOf(rows: readonly ListedRow[]): Promise<ReadonlyMap<string, boolean>> {
    const ids = [...new Set(rows.map(({ listenerId }) => listenerId))];
    const served = { _id: { $in: ids }, closed: false, paused: { $ne: true } };
    const found = await listeners.find(served).project<Pick<ListenerRow, '_id' | 'ordered'>>({ ordered: 1 }).toArray();
    return new Map(found.map(({ _id, ordered = false }) => [_id, ordered]));
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
    await Promise.all(made.map(({ state }) => tally.add(state === 'waiting' ? {} : { [state]: -1, waiting: 1 })));
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
