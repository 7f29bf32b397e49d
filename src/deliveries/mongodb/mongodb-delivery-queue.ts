import type { Logger } from 'pino';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { MongoDatabase } from '../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { throughElection } from '../../stores/mongodb/through-election.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { onQueueTime, type QueueOnItsTime } from '../queue/on-queue-time.js';
import { QueueClock } from '../queue/policy/queue-clock.js';
import { openCheckpoints, openWaitingEvents } from './checkpoints.js';
import { collectionsOf } from './collections.js';
import { daysForgetter, organisationForgetter, publishedForgetter } from './commands/forget.js';
import { purger } from './commands/purge.js';
import { heldReleaser, redeliverer } from './commands/redeliver.js';
import { requireNoUnfinishedCopy } from './commands/restore.js';
import { openSetAside } from './commands/set-aside.js';
import { enqueuer } from './enqueue/enqueue.js';
import { makeIndexes } from './indexes.js';
import { freedDeliveries, listenerWaker } from './lease/freed-deliveries.js';
import { leaseTaker } from './lease/lease-deliveries.js';
import { openStoredGates } from './listeners/gates.js';
import { openReplays, withdrawer } from './listeners/withdraw.js';
import { openKnownEvents } from './log/known-events.js';
import { deliveryLister, toListed } from './log/list-deliveries.js';
import { deliveryReader, listenersInTroubleFinder } from './log/read-deliveries.js';
import { healthRecorder } from './outcomes/record-health.js';
import { outcomeWriter } from './outcomes/record-outcomes.js';
import { openActivity, openDays, openTally } from './outcomes/statistics.js';
import { ServerClock } from './server-clock.js';

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
}: Pick<MongoDatabase, 'db' | 'patient'> & { readonly log?: Logger }): Promise<DeliveryQueue> {
  const collections = collectionsOf(db);
  await requireNoUnfinishedCopy(db);
  await withMongoErrors(() => makeIndexes(collectionsOf(patient)));
  const tally = await withMongoErrors(() => openTally(collections));
  const waitingEvents = openWaitingEvents(collections);
  const checkpoints = openCheckpoints(collections, waitingEvents);
  const clock = new ServerClock(db);
  const withdraw = withdrawer(collections, tally);
  const gates = openStoredGates(collections, withdraw);
  const replays = openReplays(collections, withdraw);
  const wakeListeners = listenerWaker(collections, gates);
  const freed = freedDeliveries(collections, wakeListeners);
  const release = heldReleaser(collections, { tally, freed, clock });
  const activity = openActivity(collections);
  const enqueue = enqueuer(collections, { activity, gates, replays, tally, checkpoints, wakeListeners, release });
  const lease = leaseTaker(collections, { tally, freed, clock, log });
  const days = openDays(collections);
  const recordHealth = healthRecorder(collections, clock);
  const record = outcomeWriter(collections, { activity, tally, freed, days, recordHealth, clock });
  const list = deliveryLister(collections);
  const redeliver = redeliverer(collections, { tally, freed, clock, list });
  const reader = deliveryReader(collections, tally);
  const listenersInTrouble = listenersInTroubleFinder(collections);
  const knownEvents = openKnownEvents(collections);
  const purge = purger(collections, tally);
  const forgetPublished = publishedForgetter(collections);
  const forgetDays = daysForgetter(collections);
  const forgetOrganisation = organisationForgetter(collections, tally);
  const setAside = openSetAside(collections);

  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  function call<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closed) return Promise.reject(new StoreUnavailable('the delivery queue is closed'));
    const result = withMongoErrors(work).finally(() => underWay.delete(result));
    underWay.add(result);
    return result;
  }

  const queue: QueueOnItsTime = {
    enqueue: (batch, time) => call(() => enqueue(batch, time)), // leasing takes round trips of its own
    checkpoint: (name) => call(() => checkpoints.of(name)),
    lease: (request) => call(() => lease(request)),
    record: (outcomes, time) => call(() => record(outcomes, time)),
    redeliver: (query, time) => call(() => redeliver(query, time)),
    cancelReplay: (replay) => call(() => replays.cancel(replay)),
    closeGate: (listenerId) =>
      call(() =>
        throughElection(
          () => gates.close([listenerId]),
          () => !closed,
        ),
      ),
    closedGates: (listenerIds) => call(() => gates.notOpen(listenerIds)),
    listSetAside: (query) => call(() => setAside.list(query)),
    explainSetAside: (position, reason) => call(() => setAside.explain(position, reason)),
    removeSetAside: (position) => call(() => setAside.remove(position)),
    waitingOrganisations: (reader) => call(() => waitingEvents.organisations(reader)),
    firstWaiting: (reader, orgId) => call(() => waitingEvents.first(reader, orgId)),
    counts: (now) => call(() => reader.counts(now)),
    list: (query) => call(async () => toListed(collections, await list(query))),
    attempts: (orgId, deliveryId) => call(() => reader.attempts(orgId, deliveryId)),
    stats: (query) => call(() => days.list(query)),
    activity: (query) => call(() => activity.list(query)),
    listenerStates: (listenerIds) => call(() => reader.listenerStates(listenerIds)),
    listenersInTrouble: (query) => call(() => listenersInTrouble(query)),
    openBreakers: () => call(() => reader.openBreakers()),
    body: (orgId, eventId) => call(() => knownEvents.body(orgId, eventId)),
    knownEvent: (orgId, eventId) => call(() => knownEvents.find(orgId, eventId)),
    knownEvents: (query) => call(() => knownEvents.list(query)),
    latestEvents: (query) => call(() => knownEvents.latest(query)),
    purge: (request) => call(() => purge(request)),
    forgetPublished: (request) => call(() => forgetPublished(request)),
    forgetDays: (request) => call(() => forgetDays(request)),
    forgetOrganisation: (request) => call(() => forgetOrganisation(request)),
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
  return onQueueTime(queue, new QueueClock());
}
