import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { DayOfAttempts, StatsQuery } from '../../queue/delivery-log.js';
import { type Collections, type DayRow, dayKey } from '../collections.js';
import { attemptsOf, type ListenerOutcome } from './attempts-of.js';

/**
 * Statistics by listener and day. Written after the outcomes: a process that dies in between leaves that batch uncounted.
 */
export type Days = {
  readonly add: (listenerOutcomes: readonly ListenerOutcome[], now: number) => Promise<void>;
  readonly list: (query: StatsQuery) => Promise<readonly DayOfAttempts[]>;
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
