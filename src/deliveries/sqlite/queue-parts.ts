import type Database from 'better-sqlite3';
import { QueueClock } from '../queue/policy/queue-clock.js';
import { openCheckpoints } from './checkpoints.js';
import { daysForgetter, publishedForgetter } from './commands/forget.js';
import { purger } from './commands/purge.js';
import { redeliverer } from './commands/redeliver.js';
import { heldReleaser } from './commands/release-held.js';
import { openSetAside } from './commands/set-aside.js';
import { openBufferWriter } from './enqueue/buffer-writer.js';
import { enqueuer } from './enqueue/enqueue.js';
import { openMessages } from './enqueue/messages.js';
import { WriteBehindBuffer } from './enqueue/write-behind-buffer.js';
import { deliveryWriter } from './enqueue/write-deliveries.js';
import { FullyLeasedListeners } from './lease/fully-leased-listeners.js';
import { leaseTaker } from './lease/lease-deliveries.js';
import { Leases } from './lease/leases.js';
import { openListenerChanges } from './lease/listener-changes.js';
import { openListenerSchedule } from './lease/listener-schedule.js';
import { organisationForgetter } from './listeners/forget-organisation.js';
import { openGateStore } from './listeners/gate-store.js';
import { openListenerStore } from './listeners/listener-store.js';
import { openReplays } from './listeners/replays.js';
import { openKnownEvents } from './log/known-events.js';
import { openList } from './log/list-deliveries.js';
import { listenersInTroubleFinder } from './log/listeners-in-trouble.js';
import { deliveryReader } from './log/read-deliveries.js';
import { openActivity } from './outcomes/activity.js';
import { openAttemptStatistics } from './outcomes/attempt-statistics.js';
import { openListenerHealths } from './outcomes/listener-healths.js';
import { outcomeWriter } from './outcomes/record-outcomes.js';
import { openTally } from './tally.js';

export type QueueParts = ReturnType<typeof openQueueParts>;

/** Opens the parts of the queue: each prepares its statements and shares what others keep in memory. */
export function openQueueParts(database: Database.Database) {
  const changes = openListenerChanges(database);
  const fullyLeased = new FullyLeasedListeners();
  const leases = new Leases(fullyLeased);
  const checkpoints = openCheckpoints(database);
  const clock = new QueueClock(checkpoints.latest());
  const tally = openTally(database);
  const healths = openListenerHealths(database, { changes, fullyLeased });
  const schedule = openListenerSchedule(database, { changes, fullyLeased });
  const gates = openGateStore(database, { changes, tally, healths, fullyLeased });
  const listenerStore = openListenerStore(database, { changes, tally, schedule });
  const replays = openReplays(database, { tally, schedule });
  const reader = deliveryReader(database, { healths, tally });
  const statistics = openAttemptStatistics(database);
  const listenersInTrouble = listenersInTroubleFinder(database);
  const knownEvents = openKnownEvents(database);
  const setAside = openSetAside(database);
  const activity = openActivity(database);
  const messages = openMessages(database, activity);
  const list = openList(database);
  const buffer = new WriteBehindBuffer();
  const write = deliveryWriter(database, { leases, fullyLeased, replays, schedule, tally });
  const bufferWriter = openBufferWriter(database, { checkpoints, clock, messages, listenerStore, buffer, write });
  const release = heldReleaser(database, { changes, leases, schedule, tally });
  const enqueueBatch = enqueuer({
    bufferWriter,
    gates,
    healths,
    fullyLeased,
    messages,
    release,
    replays,
    setAside,
    listenerStore,
    buffer,
    write,
  });
  const lease = leaseTaker(database, { bufferWriter, changes, healths, leases, fullyLeased, schedule, buffer });
  const record = outcomeWriter(database, {
    activity,
    bufferWriter,
    healths,
    leases,
    schedule,
    statistics,
    tally,
    buffer,
  });
  const redeliver = redeliverer(database, { leases, list, schedule, tally });
  const purge = purger(database, tally);
  const forgetPublished = publishedForgetter(database);
  const forgetDays = daysForgetter(database);
  const forgetOrganisation = organisationForgetter(database, { changes, leases, fullyLeased, tally });
  return {
    activity,
    buffer,
    bufferWriter,
    fullyLeased,
    changes,
    checkpoints,
    clock,
    enqueueBatch,
    forgetDays,
    forgetOrganisation,
    forgetPublished,
    gates,
    listenersInTrouble,
    knownEvents,
    lease,
    list,
    purge,
    reader,
    record,
    redeliver,
    replays,
    setAside,
    statistics,
  };
}
