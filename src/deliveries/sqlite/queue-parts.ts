import type Database from 'better-sqlite3';
import type { OnRollback } from '../../stores/sqlite/group-commit.js';
import { QueueClock } from '../queue/policy/queue-clock.js';
import { openCheckpoints } from './checkpoints.js';
import { openForgetDays, openForgetPublished } from './commands/forget.js';
import { openPurge } from './commands/purge.js';
import { openRedeliver } from './commands/redeliver.js';
import { openReleaseHeld } from './commands/release-held.js';
import { openSetAside } from './commands/set-aside.js';
import { openEnqueue } from './enqueue/enqueue.js';
import { openMessages } from './enqueue/messages.js';
import { openWriteDeliveries } from './enqueue/write-deliveries.js';
import { FullyLeasedListeners } from './lease/fully-leased-listeners.js';
import { openLease } from './lease/lease-deliveries.js';
import { Leases } from './lease/leases.js';
import { openListenerChanges } from './lease/listener-changes.js';
import { openListenerSchedule } from './lease/listener-schedule.js';
import { openForgetOrganisation } from './listeners/forget-organisation.js';
import { openGateStore } from './listeners/gate-store.js';
import { openListenerStore } from './listeners/listener-store.js';
import { openReplays } from './listeners/replays.js';
import { openKnownEvents } from './log/known-events.js';
import { openList } from './log/list-deliveries.js';
import { openListenersInTrouble } from './log/listeners-in-trouble.js';
import { openDeliveryReader } from './log/read-deliveries.js';
import { openActivity } from './outcomes/activity.js';
import { openAttemptStatistics } from './outcomes/attempt-statistics.js';
import { openListenerHealths } from './outcomes/listener-healths.js';
import { openRecord } from './outcomes/record-outcomes.js';
import { openTally } from './tally.js';
import { WriteBehind } from './write-behind.js';

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
  const statistics = openAttemptStatistics(database);
  const setAside = openSetAside(database);
  const activity = openActivity(database);
  const messages = openMessages(database, activity);
  const list = openList(database);
  const write = openWriteDeliveries(database, { fullyLeased, replays, schedule, tally });
  const release = openReleaseHeld(database, { changes, leases, schedule, tally });
  const shared = { checkpoints, clock, fullyLeased, healths, leases, listenerStore, messages, write };
  const writeBehind = new WriteBehind(database, shared);

  return {
    clock,
    checkpoints,
    setAside,
    writeBehind,
    leasing: {
      enqueue: openEnqueue({ gates, messages, release, replays, setAside, listenerStore, write, writeBehind }),
      lease: openLease(database, { changes, healths, leases, fullyLeased, schedule, writeBehind }),
      record: openRecord(database, { activity, healths, leases, schedule, statistics, tally, writeBehind }),
    },
    log: {
      activity,
      list,
      listenersInTrouble: openListenersInTrouble(database),
      knownEvents: openKnownEvents(database),
      reader: openDeliveryReader(database, { healths, tally }),
      redeliver: openRedeliver(database, { leases, list, schedule, tally }),
      statistics,
    },
    registry: {
      gates,
      replays,
      purge: openPurge(database, tally),
      forgetPublished: openForgetPublished(database),
      forgetDays: openForgetDays(database),
      forgetOrganisation: openForgetOrganisation(database, { changes, leases, fullyLeased, tally }),
    },
    transactions: {
      /** Another process may have enqueued deliveries, closed a gate, or deleted an organisation. */
      onBegun(onRollback: OnRollback): void {
        if (!changes.detectForeignWrites()) return;
        fullyLeased.invalidate();
        writeBehind.flush(onRollback);
      },
      onCommitting: activity.write,
      onRolledBack(): void {
        changes.rolledBack();
        activity.rolledBack();
      },
    },
  };
}
