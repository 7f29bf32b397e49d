import { type DocumentUpdate, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { DeliveryState } from '../../queue/delivery.js';
import { type AttemptReport, firstOfText } from '../../queue/delivery-log.js';
import type { Outcome, Recorded } from '../../queue/leasing.js';
import { activityOf } from '../../queue/policy/activity.js';
import { isFinal, stateAfter } from '../../queue/policy/delivery-state.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import type { DeliveryRow } from '../collections.js';
import type { Freed } from '../lease/freed-deliveries.js';
import type { LeasedRow } from '../lease/held-deliveries.js';
import type { Shared } from '../shared.js';
import { openRecordHealth } from './record-health.js';
import type { ListenerOutcome } from './statistics.js';

/** The report of an attempt as the log keeps it, with a bounded answer. */
const reportToKeep = (report: AttemptReport): AttemptReport =>
  report.answer === undefined ? report : { ...report, answer: firstOfText(report.answer) };

/** The change of a delivery after an outcome. */
type Change = {
  outcome: Outcome;
  row: LeasedRow;
  to: DeliveryState;
  /** Time from which it may be leased again, if it stays waiting. */
  leasableAt?: Date;
};

/** Maximum number of rounds: a closing gate or a redelivery during the write requires another one. */
const maxRounds = 3;
/** Maximum number of attempts kept in a delivery, to bound its size. */
const maxLogLength = 100;

/** Writes the outcomes of leased deliveries in one command, then the health of their listeners. */
export function openRecord({
  collections,
  statistics,
  freed,
  clock,
  held,
}: Shared): (outcomes: readonly Outcome[], time: CallTime) => Promise<Recorded> {
  const { deliveries } = collections;
  const recordHealth = openRecordHealth(collections, clock, held);

  async function leasedRows(outcomes: readonly Outcome[], serverNow: number): Promise<ReadonlyMap<string, LeasedRow>> {
    const leases = [...new Set(outcomes.map(({ lease }) => lease))];
    const rows = deliveries
      .find({
        _id: { $in: outcomes.map(({ id }) => id) },
        lease: { $in: leases },
        leasableAt: { $gt: new Date(serverNow) },
      })
      .project<LeasedRow>({ orgId: 1, state: 1, lease: 1, listenerId: 1, redeliveryRequestedAt: 1, leasableAt: 1 });
    return new Map((await rows.toArray()).map((row) => [row._id, row]));
  }

  /** After a write that did not match all: forgets the changes of deliveries that do not show them. */
  async function forgetLost(changes: Map<string, Change>): Promise<void> {
    const rows = deliveries
      .find({ _id: { $in: [...changes.keys()] } })
      .project<Pick<DeliveryRow, '_id' | 'lease' | 'lastAttemptAt'>>({ lease: 1, lastAttemptAt: 1 });
    const rowOf = new Map((await rows.toArray()).map((row) => [row._id, row]));
    for (const [id, { outcome }] of changes) {
      const row = rowOf.get(id);
      const isShown = outcome.kind === 'released' || row?.lastAttemptAt?.getTime() === outcome.report.startedAt;
      if (row?.lease === outcome.lease || !row || !isShown) changes.delete(id);
    }
  }

  return async (outcomes, time) => {
    const { now, queueNow } = time;
    const changes = new Map<string, Change>();
    const serverNow = await clock.now();
    let counted = 0;
    for (let round = 1; round <= maxRounds && outcomes.length > 0; round += 1) {
      const leased = (round === 1 && held.of(outcomes)) || (await leasedRows(outcomes, serverNow));
      const writes = outcomes.flatMap((outcome) => {
        const row = leased.get(outcome.id);
        if (row?.lease !== outcome.lease) return [];
        const change = changeOf(outcome, row, queueNow);
        changes.set(outcome.id, change);
        return [toWrite(change, { now, serverNow })];
      });
      if (writes.length === 0) break;
      const { matchedCount } = await updateEach(deliveries, writes);
      counted += matchedCount;
      if (matchedCount === writes.length) break;
      await forgetLost(changes);
    }
    held.remove(outcomes);
    const listenerOutcomes = [...changes.values()].map(
      ({ outcome, row: { orgId, listenerId } }): ListenerOutcome => ({ outcome, orgId, listenerId }),
    );
    statistics.addStates(sumOf(changes.values()));
    statistics.addAttempts(listenerOutcomes, now);
    statistics.addActivity(activityOf(listenerOutcomes.map(({ outcome }) => outcome)), now);
    const leasedUntil = Math.max(...[...changes.values()].map(({ row }) => row.leasableAt.getTime()));
    const [troubled] = await Promise.all([
      recordHealth(listenerOutcomes, { now: queueNow, leasedUntil }),
      freed.announce(freedBy(changes)),
    ]);
    return { counted, troubled };
  };
}

function changeOf(outcome: Outcome, row: LeasedRow, queueNow: number): Change {
  const leased = { state: row.state, redeliverAfterLease: row.redeliveryRequestedAt !== undefined };
  const { state, dueAt } = stateAfter(leased, outcome, queueNow);
  return { outcome, row, to: state, leasableAt: dueAt === undefined ? undefined : new Date(dueAt) };
}

/** `now`: by the caller's clock. */
type WriteTime = Pick<CallTime, 'now'> & { serverNow: number };

function toWrite({ outcome, row, to, leasableAt }: Change, { now, serverNow }: WriteTime): DocumentUpdate<DeliveryRow> {
  const { state, redeliveryRequestedAt = { $exists: false } } = row;
  const filter = {
    _id: outcome.id,
    lease: outcome.lease,
    state,
    redeliveryRequestedAt,
    leasableAt: { $gt: new Date(serverNow) },
  };
  const over = { lease: '', redeliveryRequestedAt: '' } as const;
  if (outcome.kind === 'released') {
    const $unset = leasableAt ? over : { ...over, leaseCheckAt: '' as const };
    return { filter, update: { $unset, ...(leasableAt && { $set: { leasableAt } }) } };
  }
  const { status = null, error = null, startedAt } = outcome.report;
  const attempt = { state: to, lastStatus: status, lastError: error, lastAttemptAt: new Date(startedAt) };
  const update = leasableAt
    ? { $set: { ...attempt, leasableAt, dueAt: leasableAt }, $unset: over }
    : {
        $set: { ...attempt, endedAt: isFinal(to) ? new Date(now) : undefined },
        $unset: { ...over, leaseCheckAt: '' as const, dueAt: '' as const },
      };
  const log = { $each: [reportToKeep(outcome.report)], $slice: -maxLogLength };
  return { filter, update: { ...update, $inc: { attempts: 1 }, $push: { log } } };
}

const freedBy = (changes: ReadonlyMap<string, Change>): readonly Freed[] =>
  [...changes].flatMap(([_id, { row, leasableAt }]) =>
    leasableAt ? [{ _id, listenerId: row.listenerId, leasableAt }] : [],
  );

function sumOf(changes: Iterable<Change>): Partial<Record<DeliveryState, number>> {
  const sum: Partial<Record<DeliveryState, number>> = {};
  for (const { row, to } of changes) {
    sum[row.state] = (sum[row.state] ?? 0) - 1;
    sum[to] = (sum[to] ?? 0) + 1;
  }
  return sum;
}
