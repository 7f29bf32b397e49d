import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Outcome, Recorded, TroubledListener } from '../../queue/leasing.js';
import { activityOf } from '../../queue/policy/activity.js';
import { count, type ListenerAttempts, noAttempts } from '../../queue/policy/listener-attempts.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { Leases } from '../lease/leases.js';
import type { ListenerSchedule } from '../lease/listener-schedule.js';
import type { WriteBehind } from '../write-behind.js';
import { type ListenerHealths, openRecordHealth } from './listener-healths.js';
import { type Activity, type AttemptStatistics, type Tally, TallyChanges } from './statistics.js';
import { type Attempted, openWriteAttempt } from './write-attempt.js';

type Parts = {
  readonly activity: Pick<Activity, 'add'>;
  readonly healths: ListenerHealths;
  readonly leases: Leases;
  readonly schedule: ListenerSchedule;
  readonly statistics: AttemptStatistics;
  readonly tally: Tally;
  readonly writeBehind: Pick<WriteBehind, 'record' | 'flushListener'>;
};

/** Records the outcomes of leased deliveries; within a transaction that the caller has begun. */
export function openRecord(
  database: Database.Database,
  { activity, healths, leases, schedule, statistics, tally, writeBehind }: Parts,
): (outcomes: readonly Outcome[], time: CallTime, onRollback: OnRollback) => Recorded {
  const writeAttempt = openWriteAttempt(database);
  const recordHealth = openRecordHealth(database, { healths, schedule });

  return (outcomes, time, onRollback) => {
    const renewed = new Set<number>();
    const attempts = new Map<number, ListenerAttempts>();
    const attempted: Attempted[] = [];
    const released = new Set<number>();
    const notSucceeded = new Set<number>();
    const changes = new TallyChanges();
    let counted = 0;

    function countAttempt(listenerKey: number, outcome: Attempted): void {
      attempts.set(listenerKey, count(attempts.get(listenerKey) ?? noAttempts, outcome));
      attempted.push(outcome);
    }

    for (const outcome of outcomes) {
      const writtenFor = writeBehind.record(outcome, time.now, changes, onRollback);
      if (writtenFor !== undefined) {
        counted += 1;
        countAttempt(writtenFor, outcome as Attempted); // it succeeded
        continue;
      }
      const lease = leases.find(outcome.id, outcome.lease);
      if (!lease) continue;
      counted += 1;
      const { listenerKey, ordered } = lease;
      if (outcome.kind !== 'succeeded') notSucceeded.add(listenerKey);
      const ended =
        !ordered && !lease.redeliverAfterLease && (outcome.kind === 'succeeded' || outcome.kind === 'exhausted');
      leases.drop(outcome.id, { ended });
      onRollback(() => leases.hold(lease));
      if (outcome.kind === 'released') {
        released.add(listenerKey);
        continue;
      }
      writeAttempt(lease, outcome, time, changes);
      renewed.add(listenerKey);
      countAttempt(listenerKey, outcome);
    }
    changes.writeTo(tally);
    // The listener may be kept back from now on, or an earlier delivery of it is free again.
    for (const key of notSucceeded) writeBehind.flushListener(key, onRollback);
    for (const key of renewed) schedule.renewAfterLease(key);
    const troubled: TroubledListener[] = [];
    for (const [key, ofListener] of attempts) statistics.add(key, ofListener, time.now);
    if (attempted.length > 0) activity.add(activityOf(attempted), time.now);
    for (const key of new Set([...released, ...attempts.keys()])) {
      const observed = { attempts: attempts.get(key), released: released.has(key) };
      const listener = recordHealth(key, observed, time.queueNow, onRollback);
      if (listener) troubled.push(listener);
    }
    return { counted, troubled };
  };
}
