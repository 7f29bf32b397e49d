import type { Logger } from 'pino';
import { watchFailures } from '../../../kernel/failures.js';
import { asMongoError } from '../../../stores/mongodb/mongodb-errors.js';
import { type DeliveryState, deliveryStates } from '../../delivery.js';
import type { DeliveryLog } from '../../delivery-log.js';
import type { Outcome } from '../../leasing.js';
import { type ActivityCounts, halfHourMs, keepActivityMs, minuteMs, noActivity } from '../../policy/activity.js';
import { count, type ListenerAttempts, noAttempts } from '../../policy/listener-attempts.js';
import { type Collections, type HalfHourRow, halfHourKey } from '../collections.js';
import { noCounts, readAttempts } from './attempts-by-time.js';
import { Increments } from './increments.js';

/** An outcome with its listener. */
export type ListenerOutcome = { outcome: Outcome; orgId: string; listenerId: string };

/** Counts the attempts by listener ID. */
export function attemptsOf(listenerOutcomes: readonly ListenerOutcome[]): ReadonlyMap<string, ListenerAttempts> {
  const attempts = new Map<string, ListenerAttempts>();
  for (const { outcome, listenerId } of listenerOutcomes) {
    if (outcome.kind === 'released') continue;
    attempts.set(listenerId, count(attempts.get(listenerId) ?? noAttempts, outcome));
  }
  return attempts;
}

/**
 * Number of deliveries in each state, so that millions need not be counted; attempts by listener, and day or half hour; activity of the
 * whole service by minute. They are summed in memory and written after 2.5 s, after what they count: a process that dies
 * loses those that are not written. They are for information only. Reading writes what this process has summed.
 */
export type Statistics = {
  addStates: (changes: Readonly<Partial<Record<DeliveryState, number>>>) => void;
  addAttempts: (listenerOutcomes: readonly ListenerOutcome[], now: number) => void;
  /** `now`: milliseconds since 1970. */
  addActivity: (counts: ActivityCounts, now: number) => void;
  states: () => Promise<Record<DeliveryState, number>>;
  attempts: DeliveryLog['statistics'];
  activity: DeliveryLog['activity'];
  write: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Interval of writes: the documents of statistics that a delivery costs decrease in proportion. */
const writeEveryMs = 2_500;

export function openStatistics(
  { stateCounts, days, halfHours, activity }: Collections,
  log: Logger | undefined,
): Statistics {
  const states = new Increments(stateCounts);
  const attempts = new Increments(halfHours);
  const read = readAttempts({ days, halfHours });
  const minutes = new Increments(activity, (rows) =>
    activity.deleteMany({ _id: { $lt: new Date(Math.max(...rows.map(({ _id }) => _id.getTime())) - keepActivityMs) } }),
  );
  const failures = log && watchFailures(log, 'writing statistics');
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let isStopped = false;

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const written = writing.then(
      async () => void (await Promise.all([states, attempts, minutes].map((each) => each.write()))),
    );
    writing = written.catch(() => undefined);
    return written;
  }

  function writeSoon(hasChanged: boolean): void {
    if (!hasChanged || isStopped) return;
    timer ??= setTimeout(() => {
      write().then(
        () => failures?.recovered(),
        (error: unknown) => {
          failures?.record(asMongoError(error));
          writeSoon(true);
        },
      );
    }, writeEveryMs).unref();
  }

  return {
    addStates(changes) {
      const added = deliveryStates.map((_id) => states.add({ _id, deliveries: 0 }, { deliveries: changes[_id] ?? 0 }));
      writeSoon(added.includes(true));
    },
    addAttempts(listenerOutcomes, now) {
      for (const { zeros, changes } of attemptsByListener(listenerOutcomes, now))
        writeSoon(attempts.add(zeros, changes));
    },
    addActivity(counts, now) {
      const _id = new Date(Math.floor(now / minuteMs) * minuteMs);
      writeSoon(minutes.add({ _id, ...noActivity }, fieldsOf(counts)));
    },

    async states() {
      await write();
      const counts = { waiting: 0, held: 0, succeeded: 0, exhausted: 0, cancelled: 0 };
      for await (const { _id, deliveries } of stateCounts.find()) counts[_id] = Number(deliveries);
      return counts;
    },
    async attempts(query) {
      await write();
      return query.by === 'day' ? read.days(query) : read.halfHours(query);
    },
    async activity({ from, to }) {
      await write();
      const rows = await activity
        .find({ _id: { $gte: new Date(from), $lt: new Date(to) } })
        .sort({ _id: 1 })
        .toArray();
      return rows.map(({ _id, ...counts }) => ({ at: _id.getTime(), ...counts }));
    },

    write,
    async stop() {
      isStopped = true;
      await write().catch((error: unknown) => failures?.record(asMongoError(error)));
    },
  };
}

/** The sums of these attempts, with the row of each listener. */
function attemptsByListener(listenerOutcomes: readonly ListenerOutcome[], now: number) {
  const at = Math.floor(now / halfHourMs) * halfHourMs;
  const orgIds = new Map(listenerOutcomes.map(({ listenerId, orgId }) => [listenerId, orgId]));
  return [...attemptsOf(listenerOutcomes)].map(([listenerId, { succeeded, failures, exhausted, durationMs }]) => {
    const _id = halfHourKey({ listenerId, at });
    const zeros: HalfHourRow = { _id, at, orgId: orgIds.get(listenerId) ?? '', listenerId, ...noCounts };
    return { zeros, changes: { succeeded, failed: failures, exhausted, durationMs } };
  });
}

/** `latency.3` is an element of the array. */
function fieldsOf({ latency, duration, ...counts }: ActivityCounts): Readonly<Record<string, number>> {
  const buckets = (name: string, histogram: readonly number[]) =>
    histogram.map((count, index): [string, number] => [`${name}.${index}`, count]);
  return Object.fromEntries([
    ...Object.entries(counts),
    ...buckets('latency', latency),
    ...buckets('duration', duration),
  ]);
}
