import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { DayOfAttempts, StatsQuery } from '../../queue/delivery-log.js';
import { type Collections, type DayRow, dayKey } from '../collections.js';
import { attemptsOf, type Made } from './attempts-of.js';

/** Statistics, by hook and day. Written after what they count: a process that dies in between leaves them short by that batch. */
export type Days = {
  readonly add: (made: readonly Made[], now: number) => Promise<void>;
  readonly list: (query: StatsQuery) => Promise<readonly DayOfAttempts[]>;
};

/** So many of the documents that are known to be there are remembered. */
const maxKnown = 10_000;

export function openDays({ days }: Pick<Collections, 'days'>): Days {
  const known = new Set<string>();

  /** First, so that no two writers ever race to make one of them. */
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
    async add(made, now) {
      const rows = sumsOf(made, now);
      if (rows.length === 0) return;
      await make(rows);
      await days.bulkWrite(
        rows.map(({ _id, succeeded, failed, exhausted, durationMs }) => ({
          updateOne: { filter: { _id }, update: { $inc: { succeeded, failed, exhausted, durationMs } } },
        })),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },

    async list({ orgId, listenerId, from, to }) {
      const query = { orgId, day: { $gte: from, $lte: to }, ...(listenerId !== undefined && { listenerId }) };
      return (await days.find(query).sort({ day: 1, listenerId: 1 }).toArray()).map(toDay);
    },
  };
}

/** What these attempts add, for each hook once. */
function sumsOf(made: readonly Made[], now: number): readonly DayRow[] {
  const day = new Date(now).toISOString().slice(0, 10);
  const orgIds = new Map(made.map(({ listenerId, orgId }) => [listenerId, orgId]));
  return [...attemptsOf(made)].map(([listenerId, { succeeded, failures, exhausted, durationMs }]) => ({
    ...{ _id: dayKey({ listenerId, day }), orgId: orgIds.get(listenerId) ?? '', listenerId, day },
    ...{ succeeded, failed: failures, exhausted, durationMs },
  }));
}

const toDay = ({ day, listenerId, succeeded, failed, exhausted, durationMs }: DayRow): DayOfAttempts => ({
  ...{ day, listenerId },
  // Sums that have outgrown 32 bits come as bigint.
  ...{
    succeeded: Number(succeeded),
    failed: Number(failed),
    exhausted: Number(exhausted),
    durationMs: Number(durationMs),
  },
});
