import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { AttemptsByDay, AttemptsByHalfHour, AttemptsOfPeriod } from '../../delivery-log.js';
import { halfHourMs } from '../../policy/activity.js';
import {
  type Collections,
  type DayRow,
  dayKey,
  earlierHalfHourKey,
  type HalfHourRow,
  halfHourKey,
} from '../collections.js';

type Stored = Pick<Collections, 'days' | 'halfHours'>;
type Counts = Omit<AttemptsOfPeriod, 'at' | 'listenerId'>;

export const noCounts: Counts = { succeeded: 0, failed: 0, exhausted: 0, durationMs: 0 };

/** Sums beyond 32 bits are read as bigint. */
const sumOf = (one: Counts, other: Partial<Counts>): Counts => ({
  succeeded: one.succeeded + Number(other.succeeded ?? 0),
  failed: one.failed + Number(other.failed ?? 0),
  exhausted: one.exhausted + Number(other.exhausted ?? 0),
  durationMs: one.durationMs + Number(other.durationMs ?? 0),
});

const dayMs = 86_400_000;
const latestDay = Date.UTC(9999, 11, 31);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** The first day that does not begin before a time. */
const dayFrom = (ms: number): string => dayOf(Math.min(Math.max(Math.ceil(ms / dayMs) * dayMs, 0), latestDay));

const dayOfHalfHour = ({ listenerId, at }: AttemptsOfPeriod): string => dayKey({ listenerId, day: dayOf(at) });

const isInDay = (at: number, day: DayRow | undefined): boolean => day?.upTo !== undefined && at <= day.upTo;

/** Days are the sums of old half hours, to which the later ones are added. */
export function readAttempts({ days, halfHours }: Stored) {
  return {
    async days({ orgId, listenerId, from, to }: AttemptsByDay): Promise<readonly AttemptsOfPeriod[]> {
      const at = { $gte: from, $lt: to };
      const day = { $gte: dayFrom(from), $lt: dayFrom(to) };
      const later = await halfHours.find({ orgId, listenerId, at, durationMs: { $exists: true } }).toArray();
      const rows = await days.find({ orgId, day, listenerId }).toArray(); // after the half hours, which may become old meanwhile
      const byKey = new Map(rows.map((row) => [row._id, row]));
      const found = new Map(
        rows.map(({ _id, day, listenerId, ...row }) => [
          _id,
          { at: Date.parse(day), listenerId, ...sumOf(noCounts, row) },
        ]),
      );
      for (const halfHour of later) {
        const key = dayOfHalfHour(halfHour);
        if (isInDay(halfHour.at, byKey.get(key))) continue;
        const { listenerId } = halfHour;
        const counts = found.get(key) ?? noCounts;
        found.set(key, { at: Date.parse(dayOf(halfHour.at)), listenerId, ...sumOf(counts, halfHour) });
      }
      return [...found.values()].sort(
        (one, other) => one.at - other.at || (one.listenerId < other.listenerId ? -1 : 1),
      );
    },

    async halfHours({ orgId, listenerId, from, to }: AttemptsByHalfHour): Promise<readonly AttemptsOfPeriod[]> {
      const first = Math.ceil(from / halfHourMs);
      const times = Array.from({ length: Math.max(0, Math.ceil(to / halfHourMs) - first) }, (_, index) => ({
        listenerId,
        at: (first + index) * halfHourMs,
      }));
      const ids = times.flatMap((each) => [halfHourKey(each), earlierHalfHourKey(each)]);
      const found = new Map<number, Counts>();
      for (const row of await halfHours
        .find({ _id: { $in: ids }, orgId })
        .sort({ _id: 1 })
        .toArray())
        found.set(row.at, sumOf(found.get(row.at) ?? noCounts, row));
      return [...found].map(([at, counts]) => ({ at, listenerId, ...counts }));
    },
  };
}

/** Adds up to `limit` half hours before a time to their days, then removes them. Repeatable. Returns their number. */
export async function moveHalfHours({ days, halfHours }: Stored, before: number, limit: number): Promise<number> {
  const old = await halfHours
    .find({ _id: { $lt: new Date(before).toISOString() } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
  const byDay = new Map<string, HalfHourRow[]>();
  for (const halfHour of old) {
    if (halfHour.durationMs === undefined) continue; // counted in the day already
    const day = dayOfHalfHour(halfHour);
    byDay.set(day, [...(byDay.get(day) ?? []), halfHour]);
  }
  const rows = [...byDay].flatMap(([_id, [first]]): DayRow[] => {
    if (!first) return [];
    const { orgId, listenerId, at } = first;
    return [{ _id, day: dayOf(at), orgId, listenerId, ...noCounts }];
  });
  await insertNew(days, rows);
  const known = await days.find({ _id: { $in: [...byDay.keys()] } }).toArray();
  const updates = known.flatMap((day) => {
    const added = (byDay.get(day._id) ?? []).filter(({ at }) => !isInDay(at, day));
    if (added.length === 0) return [];
    const upTo = Math.max(...added.map(({ at }) => at));
    const filter = { _id: day._id, upTo: day.upTo ?? { $exists: false } };
    return [{ filter, update: { $inc: added.reduce<Counts>(sumOf, noCounts), $set: { upTo } } }];
  });
  const { matchedCount } = updates.length > 0 ? await updateEach(days, updates) : { matchedCount: 0 };
  if (matchedCount < updates.length) return 0; // another instance does the same
  return (await halfHours.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })).deletedCount;
}
