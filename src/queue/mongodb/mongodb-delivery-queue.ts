import type { Logger } from 'pino';
import { mutex } from '../../kernel/keyed-mutex.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { MongoDatabase } from '../../stores/mongodb/mongodb-database.js';
import { throughElection, withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import type { DeliveryQuery } from '../delivery-log.js';
import { defaultPageSize } from '../delivery-pages.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import type { Withdrawal } from '../leasing.js';
import { openQueue } from '../open-queue.js';
import { partitionOf } from '../policy/partition.js';
import { QueueClock } from '../policy/queue-clock.js';
import type { StoredQueue } from '../stored-queue.js';
import { openCheckpoints, openWaitingEvents } from './checkpoints.js';
import { collectionsOf } from './collections.js';
import { openForget } from './commands/forget.js';
import { openRedeliver, openReleaseHeld } from './commands/redeliver.js';
import { requireNoUnfinishedCopy } from './commands/restore.js';
import { openSetAside } from './commands/set-aside.js';
import { openWriteBatch } from './enqueue/enqueue.js';
import { openFacts } from './enqueue/facts.js';
import { openFirstDeliveries } from './enqueue/first-deliveries.js';
import { openMessages } from './enqueue/put-messages.js';
import { makeIndexes } from './indexes.js';
import { openAnnouncedDeliveries } from './lease/announced-deliveries.js';
import { CalmListeners } from './lease/calm-listeners.js';
import { openLease } from './lease/lease-deliveries.js';
import { openPostpone } from './lease/postpone.js';
import { RowsAhead } from './lease/rows-ahead.js';
import { takeOverLeases } from './lease/take-over-leases.js';
import { RowsUnderWay } from './lease/under-way.js';
import { openStoredGates } from './listeners/gates.js';
import { openInvalidations } from './listeners/invalidations.js';
import { openReplays, openWithdraw } from './listeners/withdraw.js';
import { openKnownEvents } from './log/known-events.js';
import { openExhausted, openList, toListed } from './log/list-deliveries.js';
import { openDeliveryReader, openListeners } from './log/read-deliveries.js';
import { openRecord } from './outcomes/record-outcomes.js';
import { openStatistics } from './outcomes/statistics.js';
import type { Shared } from './shared.js';

/**
 * Opens the queue in this database, and creates missing collections and indexes. Any number of instances may have it
 * open. It relies on single-document writes only, so a standalone server is sufficient. The caller owns the connection:
 * closing the queue waits for calls under way and rejects later ones. `log` gets failures that need no repetition.
 * Throws `StoreUnavailable`, and `StoreUnusable` if its indexes differ from those required, or a copy into it has not
 * ended.
 */
export async function openMongoDeliveryQueue({
  db,
  patient,
  log,
  partitions,
}: Pick<MongoDatabase, 'db' | 'patient'> & {
  log?: Logger;
  /** Number of partitions of the fan-out; undefined: this process does not deliver. */
  partitions?: number;
}): Promise<DeliveryQueue> {
  const collections = collectionsOf(db);
  await requireNoUnfinishedCopy(db);
  const names = await withMongoErrors(() => makeIndexes(collectionsOf(patient)));
  const statistics = openStatistics(collections, log);
  const waitingEvents = openWaitingEvents(collections);
  const checkpoints = openCheckpoints(collections, waitingEvents);
  const underWay = new RowsUnderWay();
  const withdraw = openWithdraw(collections, statistics);
  const calm = new CalmListeners();
  const invalidations = openInvalidations(collections, calm);
  const gates = openStoredGates(collections, invalidations, withdraw);
  const replays = openReplays(collections, withdraw);
  const announced = openAnnouncedDeliveries(collections, { gates, underWay, calm });
  await withMongoErrors(() => takeOverLeases(collectionsOf(patient), names, announced));
  const owned: Shared['owned'] = { partitions: undefined };
  const isOwned = (orgId: string) =>
    partitions !== undefined && owned.partitions?.get(partitionOf(orgId, partitions))?.isHeld() === true;
  const shared: Shared = {
    collections,
    statistics,
    announced,
    underWay,
    rowsAhead: new RowsAhead(calm, underWay),
    calm,
    owned,
    invalidateOthers: (changed) =>
      invalidations.invalidate([...changed].flatMap(({ orgId, listenerId }) => (isOwned(orgId) ? [] : listenerId))),
    nextRowDue: { at: undefined },
    partitions,
  };
  const release = openReleaseHeld(shared);
  const list = openList(collections);
  const setAside = openSetAside(collections);
  const bodies = openMessages(collections);
  const writeBatch = openWriteBatch(shared, { gates, replays, setAside, checkpoints, bodies, release });
  const first = openFirstDeliveries(shared, { bodies, writeBatch });
  let closed = false;

  const calls = {
    enqueue: writeBatch,
    ...openFacts(shared, { checkpoints, gates }),
    write: first.write,
    moveCheckpoints: checkpoints.moveUnlessLost,
    positions: checkpoints.positions,
    waiting: waitingEvents.firstOf,
    ...oneAtATime({ ...openLease(shared, { gates, log }), postpone: openPostpone(shared) }),
    record: openRecord(shared, first),
    redeliver: openRedeliver(shared, list),
    withdraw: (withdrawal: Withdrawal) =>
      'replay' in withdrawal
        ? replays.cancel(withdrawal.replay)
        : throughElection(
            () => gates.close([withdrawal.listenerId]),
            () => !closed,
          ),
    closedGates: gates.notOpen,
    setAside: setAside.list,
    ...openDeliveryReader(shared),
    async deliveries(query: DeliveryQuery) {
      const deliveries = await toListed(collections, query, await list(query));
      const isFull = deliveries.length === (query.limit ?? defaultPageSize);
      return { deliveries, next: isFull ? deliveries.at(-1)?.cursor : undefined };
    },
    statistics: statistics.attempts,
    activity: statistics.activity,
    exhausted: openExhausted(collections),
    listeners: openListeners(collections),
    ...openKnownEvents(collections),
    forget: openForget(shared),
  };
  const { wrapped, ended } = untilClosed(calls, () => closed);
  const stored: StoredQueue = {
    ...wrapped,
    takeForeignWrites: () => false,
    async close() {
      closed = true;
      await ended();
      await Promise.all([statistics.stop(), invalidations.end()]);
    },
  };
  return openQueue(stored, new QueueClock());
}

type Calls = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Runs the calls one after the other: what a lease finds is postponed too. */
function oneAtATime<Wrapped extends Calls>(calls: Wrapped): Wrapped {
  const inTurn = mutex();
  const wrap =
    (call: Calls[string]) =>
    (...args: never[]) =>
      inTurn(() => call(...args));
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as Wrapped; // each by its own name
}

/** The calls with MongoDB's errors as the stores' errors, refused once the queue is closed. `ended`: those under way have ended. */
function untilClosed<Wrapped extends Calls>(calls: Wrapped, isClosed: () => boolean) {
  const underWay = new Set<Promise<unknown>>();
  const wrap =
    (call: Calls[string]) =>
    (...args: never[]): Promise<unknown> => {
      if (isClosed()) return Promise.reject(new StoreUnavailable('the delivery queue is closed'));
      const result = withMongoErrors(() => call(...args)).finally(() => underWay.delete(result));
      underWay.add(result);
      return result;
    };
  const wrapped = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as Wrapped; // each by its own name
  return { wrapped, ended: () => Promise.allSettled(underWay) };
}
