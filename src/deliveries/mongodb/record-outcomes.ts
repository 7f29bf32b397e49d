import type { AnyBulkWriteOperation } from 'mongodb';
import type { DeliveryState, Outcome } from '../delivery-queue.js';
import type { Collections, DeliveryRow } from './collections.js';
import type { Freed, FreedDeliveries } from './freed-deliveries.js';
import type { Tally } from './tally.js';

type Held = Pick<DeliveryRow, '_id' | 'state' | 'lease' | 'listenerId'>;

/** What becomes of a delivery. Behind a closed gate nothing waits, but what an attempt brought is true all the same. */
type Change = {
  readonly from: DeliveryState;
  readonly to: DeliveryState;
  readonly listenerId: string;
  /** When it may be leased again, where it goes on waiting. */
  readonly freeAt?: Date;
};

/** A gate may close while its outcomes are written. It does so once; more rounds than these are never needed. */
const maxRounds = 3;

/** Writes what became of leased deliveries, in one command. Returns how many counted: those still under their lease. */
export function outcomeWriter(
  { deliveries }: Collections,
  { tally, freed }: { readonly tally: Tally; readonly freed: FreedDeliveries },
): (outcomes: readonly Outcome[], now: number) => Promise<number> {
  async function heldOf(outcomes: readonly Outcome[], now: number): Promise<ReadonlyMap<string, Held>> {
    const leases = [...new Set(outcomes.map(({ lease }) => lease))];
    const rows = deliveries
      .find({ _id: { $in: outcomes.map(({ id }) => id) }, lease: { $in: leases }, freeAt: { $gt: new Date(now) } })
      .project<Held>({ state: 1, lease: 1, listenerId: 1 });
    return new Map((await rows.toArray()).map((row) => [row._id, row]));
  }

  return async (outcomes, now) => {
    const changes = new Map<string, Change>();
    let counted = 0;
    for (let round = 1; round <= maxRounds && outcomes.length > 0; round += 1) {
      const held = await heldOf(outcomes, now);
      const writes = outcomes.flatMap((outcome) => {
        const row = held.get(outcome.id);
        if (row?.lease !== outcome.lease) return [];
        const change = changeOf(outcome, row, now);
        changes.set(outcome.id, change);
        return [toWrite(outcome, change, now)];
      });
      if (writes.length === 0) break;
      const { matchedCount } = await deliveries.bulkWrite(writes, { ordered: false });
      counted += matchedCount;
      if (matchedCount === writes.length) break;
    }
    await Promise.all([freed.announce(freedBy(changes)), tally.add(sumOf(changes.values()))]);
    return counted;
  };
}

function changeOf(outcome: Outcome, { state: from, listenerId }: Held, now: number): Change {
  if (outcome.kind === 'succeeded') return { from, to: 'succeeded', listenerId };
  if (from !== 'waiting') return { from, to: from, listenerId };
  if (outcome.kind === 'exhausted') return { from, to: 'exhausted', listenerId };
  return { from, to: 'waiting', listenerId, freeAt: new Date(outcome.kind === 'failed' ? outcome.retryAt : now) };
}

function toWrite(outcome: Outcome, { from, to, freeAt }: Change, now: number): AnyBulkWriteOperation<DeliveryRow> {
  const filter = { _id: outcome.id, lease: outcome.lease, state: from, freeAt: { $gt: new Date(now) } };
  const left = freeAt ? { lease: '' as const } : { lease: '' as const, recheckAt: '' as const };
  if (outcome.kind === 'released') {
    return { updateOne: { filter, update: { $unset: left, ...(freeAt && { $set: { freeAt } }) } } };
  }
  const { status = null, error = null, startedAt } = outcome.report;
  const attempt = { lastStatus: status, lastError: error, lastAttemptAt: new Date(startedAt) };
  const update = freeAt
    ? { $set: { state: to, ...attempt, freeAt, dueAt: freeAt }, $unset: left }
    : { $set: { state: to, ...attempt }, $unset: { ...left, dueAt: '' as const } };
  return { updateOne: { filter, update: { ...update, $inc: { attempts: 1 } } } };
}

const freedBy = (changes: ReadonlyMap<string, Change>): readonly Freed[] =>
  [...changes].flatMap(([_id, { listenerId, freeAt }]) => (freeAt ? [{ _id, listenerId, freeAt }] : []));

function sumOf(changes: Iterable<Change>): Partial<Record<DeliveryState, number>> {
  const sum: Partial<Record<DeliveryState, number>> = {};
  for (const { from, to } of changes) {
    sum[from] = (sum[from] ?? 0) - 1;
    sum[to] = (sum[to] ?? 0) + 1;
  }
  return sum;
}
