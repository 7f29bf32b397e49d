import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import type { DeliveryState } from '../../delivery.js';
import type { FanOutBatch, Released } from '../../fan-out-batch.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { DeliveryRow, MessageRow } from '../collections.js';
import { dueTimesOf } from '../lease/announced-deliveries.js';
import type { StoredGates } from '../listeners/gates.js';
import type { Replays } from '../listeners/withdraw.js';
import type { Shared } from '../shared.js';
import type { Messages } from './put-messages.js';

export type WriteParts = {
  gates: StoredGates;
  replays: Replays;
  release: (released: Released, now: number) => Promise<void>;
};

type ToWrite = {
  rows: readonly DeliveryRow[];
  /** The messages that had a row. */
  existing: readonly MessageRow[];
  time: CallTime;
};

type Written = {
  added: number;
  /** IDs of those that were inserted. */
  inserted: ReadonlySet<string>;
};

/** Inserts the deliveries of a batch, then applies all that has to follow them before its checkpoint moves. */
export function openWriteDeliveries(
  { collections: { deliveries }, statistics, announced }: Shared,
  bodies: Pick<Messages, 'keepBodies'>,
  { gates, replays, release }: WriteParts,
): (batch: FanOutBatch, toWrite: ToWrite) => Promise<Written> {
  /** Returns the number of new deliveries, and the rows that existed, whose states may differ from the stored ones. */
  async function insert(rows: readonly DeliveryRow[]): Promise<{ added: number; existing: readonly DeliveryRow[] }> {
    const added: Partial<Record<DeliveryState, number>> = {};
    const existing: DeliveryRow[] = [];
    await Promise.all(
      (['waiting', 'held', 'cancelled'] as const).map(async (state) => {
        const ofState = rows.filter((row) => row.state === state);
        const found = await insertNew(deliveries, ofState);
        existing.push(...found);
        added[state] = ofState.length - found.length;
      }),
    );
    statistics.addStates(added);
    return { added: Object.values(added).reduce((sum, count) => sum + count, 0), existing };
  }

  return async (batch, { rows, existing, time }) => {
    const { added, existing: enqueuedBefore } = await insert(rows);
    const before = new Set(enqueuedBefore);
    const inserted = rows.filter((row) => !before.has(row));
    if (rows.length > 0) await bodies.keepBodies(existing);
    // Existing deliveries too: the call that inserted them may have ended before this step, and the listener be paused since.
    const due = [...inserted.filter(({ state }) => state === 'waiting'), ...enqueuedBefore];
    const dueNow = new Date(time.queueNow);
    const dueTimes = dueTimesOf(due.map(({ listenerId, dueAt = dueNow }) => ({ listenerId, dueAt })));
    await announced.wake(dueTimes);
    await replays.withdraw(await replays.cancelledOf(batch.deliveries));
    for (const replay of batch.cancelledReplays ?? []) await replays.cancel(replay);
    await gates.withdrawBehind(batch.listeners.flatMap(({ listenerId, paused }) => (paused ? [listenerId] : [])));
    for (const released of batch.released ?? []) await release(released, time.queueNow);
    await gates.close(batch.ended);
    return { added, inserted: new Set(inserted.map(({ _id }) => _id)) };
  };
}
