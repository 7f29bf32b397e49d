import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Outcome, Recorded, TroubledListener } from '../../leasing.js';
import { activityOf } from '../../policy/activity.js';
import {
  count,
  type ListenerAttempts,
  noAttempts,
  type RecordedOutcomes,
  updateHealth,
} from '../../policy/listener-attempts.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { FirstDelivery } from '../../stored-queue.js';
import type { FirstDeliveries } from '../enqueue/first-deliveries.js';
import type { Shared } from '../shared.js';
import type { Activity, AttemptStatistics } from './statistics.js';
import { type Attempted, openWriteAttempt } from './write-attempt.js';

type Parts = {
  activity: Pick<Activity, 'add'>;
  statistics: Pick<AttemptStatistics, 'add'>;
  firstDeliveries: Pick<FirstDeliveries, 'write' | 'successes'>;
};

type RecordOutcomes = (
  outcomes: readonly Outcome[],
  time: CallTime,
  first: readonly FirstDelivery[],
  onRollback: OnRollback,
) => Recorded;

/** The first deliveries without a success among the outcomes are written as waiting. */
export function openRecord(shared: Shared, { activity, statistics, firstDeliveries }: Parts): RecordOutcomes {
  const { leases, schedule } = shared;
  const writeAttempt = openWriteAttempt(shared);
  const recordHealth = openRecordHealth(shared);

  return (outcomes, time, first, onRollback) => {
    const renewed = new Set<number>();
    const attempts = new Map<number, ListenerAttempts>();
    const attempted: Attempted[] = [];
    const released = new Set<number>();
    let counted = 0;
    const succeeded = new Set(outcomes.filter(({ kind }) => kind === 'succeeded').map(({ id }) => id));
    const toSucceed = new Map(first.map((one) => [one.delivery.id, one]));
    const toWrite = first.filter(({ delivery }) => !succeeded.has(delivery.id));
    firstDeliveries.write(toWrite, onRollback);
    const writeSuccess = firstDeliveries.successes(onRollback);

    function countAttempt(listenerKey: number, outcome: Attempted): void {
      attempts.set(listenerKey, count(attempts.get(listenerKey) ?? noAttempts, outcome));
      attempted.push(outcome);
    }

    for (const outcome of outcomes) {
      const one = toSucceed.get(outcome.id);
      if (one && outcome.kind === 'succeeded') {
        const listenerKey = writeSuccess(one, outcome.report, time.now);
        if (listenerKey !== undefined) {
          counted += 1;
          countAttempt(listenerKey, outcome);
          continue;
        }
      }
      const lease = leases.find(outcome.id, outcome.asRead);
      if (!lease) continue;
      counted += 1;
      const { listenerKey, ordered } = lease;
      const hasEnded = outcome.kind !== 'released' && writeAttempt(lease, outcome, time);
      leases.drop(outcome.id, { ended: hasEnded && !ordered });
      onRollback(() => leases.hold(lease));
      if (outcome.kind === 'released') {
        released.add(listenerKey);
        continue;
      }
      renewed.add(listenerKey);
      countAttempt(listenerKey, outcome);
    }
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

type Name = Pick<TroubledListener, 'listenerId' | 'orgId' | 'hookUrl'>;

function openRecordHealth({ database, healths, schedule }: Shared) {
  const nameOf = database.prepare<[number], Name>(
    `SELECT listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl FROM listeners
     WHERE key = ? AND org_id IS NOT NULL AND NOT closed`,
  );

  /** Returns the listener if its health is of interest to the caller. */
  return (
    key: number,
    observed: RecordedOutcomes,
    now: number,
    onRollback: OnRollback,
  ): TroubledListener | undefined => {
    const stored = healths.of(key);
    const { before, health, isTroubled } = updateHealth(stored, observed, now);
    if (before !== stored) schedule.renew(key);
    if (!observed.attempts) {
      if (health !== stored) healths.remember(key, health, onRollback);
      return undefined;
    }
    const name = isTroubled ? nameOf.get(key) : undefined;
    if (isTroubled && !name) return undefined; // its gate was closed meanwhile, or its organisation deleted
    healths.keep(key, health, onRollback);
    return name && { ...name, before, health };
  };
}
