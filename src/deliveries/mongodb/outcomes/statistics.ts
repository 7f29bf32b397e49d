import type { UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import { updateEach } from '../../../stores/mongodb/update-each.js';
import { type DeliveryState, deliveryStates } from '../../queue/delivery.js';
import type { DayOfAttempts, DeliveryLog } from '../../queue/delivery-log.js';
import type { Outcome } from '../../queue/leasing.js';
import { type ActivityCounts, keepActivityMs, minuteMs, noActivity } from '../../queue/policy/activity.js';
import { count, type ListenerAttempts, noAttempts } from '../../queue/policy/listener-attempts.js';
import { type ActivityRow, type Collections, type DayRow, dayKey } from '../collections.js';

type Changes = Readonly<Partial<Record<DeliveryState, number>>>;

/**
 * Number of deliveries in each state, so that millions need not be counted. It is written after the deliveries, not
 * atomically with them: a process that dies in between leaves it wrong by that batch. It is for information only.
 */
export type Tally = {
  readonly add: (changes: Changes) => Promise<void>;
  readonly read: () => Promise<Record<DeliveryState, number>>;
};

export async function openTally({ tally }: Collections): Promise<Tally> {
  // Inserted first, so that writers never race to create a document.
  await insertNew(
    tally,
    deliveryStates.map((_id) => ({ _id, deliveries: 0 })),
  );
  return {
    async add(changes) {
      const updates = deliveryStates.flatMap((_id) =>
        changes[_id] ? [{ filter: { _id }, update: { $inc: { deliveries: changes[_id] } } }] : [],
      );
      if (updates.length > 0) await updateEach(tally, updates, { writeConcern: { w: 1 } });
    },
    async read() {
      const counts = { waiting: 0, held: 0, succeeded: 0, exhausted: 0, cancelled: 0 };
      for await (const { _id, deliveries } of tally.find()) counts[_id] = Number(deliveries);
      return counts;
    },
  };
}

/** An outcome with its listener. */
export type ListenerOutcome = { readonly outcome: Outcome; readonly orgId: string; readonly listenerId: string };

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
 * Statistics by listener and day. Written after the outcomes: a process that dies in between leaves that batch uncounted.
 */
export type Days = {
  readonly add: (listenerOutcomes: readonly ListenerOutcome[], now: number) => Promise<void>;
  readonly read: DeliveryLog['stats'];
};

/** Maximum number of documents remembered as existing, to bound memory. */
const maxKnown = 10_000;

export function openDays({ days }: Pick<Collections, 'days'>): Days {
  const known = new Set<string>();

  /** Inserts missing documents before updates, so that writers never race to create one. */
  async function make(rows: readonly DayRow[]): Promise<void> {
    const unknown = rows.filter(({ _id }) => !known.has(_id));
    await insertNew(
      days,
      unknown.map((row) => ({ ...row, succeeded: 0, failed: 0, exhausted: 0, durationMs: 0 })),
    );
    if (known.size + unknown.length > maxKnown) known.clear();
    for (const { _id } of unknown) known.add(_id);
  }

  return {
    async add(listenerOutcomes, now) {
      const rows = sumsOf(listenerOutcomes, now);
      if (rows.length === 0) return;
      await make(rows);
      await updateEach(
        days,
        rows.map(({ _id, succeeded, failed, exhausted, durationMs }) => ({
          filter: { _id },
          update: { $inc: { succeeded, failed, exhausted, durationMs } },
        })),
        { writeConcern: { w: 1 } },
      );
    },

    async read({ orgId, listenerId, from, to }) {
      const query = { orgId, day: { $gte: from, $lte: to }, ...(listenerId !== undefined && { listenerId }) };
      return (await days.find(query).sort({ day: 1, listenerId: 1 }).toArray()).map(toDay);
    },
  };
}

/** The sums of these attempts, one row for each listener. */
function sumsOf(listenerOutcomes: readonly ListenerOutcome[], now: number): readonly DayRow[] {
  const day = new Date(now).toISOString().slice(0, 10);
  const orgIds = new Map(listenerOutcomes.map(({ listenerId, orgId }) => [listenerId, orgId]));
  return [...attemptsOf(listenerOutcomes)].map(([listenerId, { succeeded, failures, exhausted, durationMs }]) => ({
    _id: dayKey({ listenerId, day }),
    orgId: orgIds.get(listenerId) ?? '',
    listenerId,
    day,
    succeeded,
    failed: failures,
    exhausted,
    durationMs,
  }));
}

const toDay = ({ day, listenerId, succeeded, failed, exhausted, durationMs }: DayRow): DayOfAttempts => ({
  day,
  listenerId,
  // Sums beyond 32 bits are read as bigint.
  succeeded: Number(succeeded),
  failed: Number(failed),
  exhausted: Number(exhausted),
  durationMs: Number(durationMs),
});

/**
 * The activity of the whole service by minute. Written after what it counts: a process that dies in between leaves that batch
 * uncounted.
 */
export type Activity = {
  /** `now`: milliseconds since 1970. */
  readonly add: (counts: ActivityCounts, now: number) => Promise<void>;
  readonly read: DeliveryLog['activity'];
};

export function openActivity({ activity }: Pick<Collections, 'activity'>): Activity {
  let known = Number.NEGATIVE_INFINITY;

  /** Inserted before updates, so that writers never race to create it. Removes old minutes when another one begins. */
  async function make(at: number): Promise<void> {
    if (at === known) return;
    const existing = await insertNew(activity, [{ _id: new Date(at), ...noActivity }]);
    if (existing.length === 0) await activity.deleteMany({ _id: { $lt: new Date(at - keepActivityMs) } });
    known = at;
  }

  return {
    async add(counts, now) {
      const increments = incrementsOf(counts);
      if (Object.keys(increments).length === 0) return;
      const at = Math.floor(now / minuteMs) * minuteMs;
      await make(at);
      const update = { $inc: increments } as UpdateFilter<ActivityRow>; // `latency.3` is an element of the array
      await activity.updateOne({ _id: new Date(at) }, update, { writeConcern: { w: 1 } });
    },

    async read({ from, to }) {
      const rows = await activity
        .find({ _id: { $gte: new Date(from), $lt: new Date(to) } })
        .sort({ _id: 1 })
        .toArray();
      return rows.map(({ _id, ...counts }) => ({ at: _id.getTime(), ...counts }));
    },
  };
}

/** By the names of the fields; without those that stay. */
function incrementsOf({ latency, duration, ...counts }: ActivityCounts): Readonly<Record<string, number>> {
  const buckets = (name: string, histogram: readonly number[]) =>
    histogram.map((count, index): [string, number] => [`${name}.${index}`, count]);
  const all = [...Object.entries(counts), ...buckets('latency', latency), ...buckets('duration', duration)];
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}
