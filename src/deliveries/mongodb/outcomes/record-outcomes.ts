import { type DocumentUpdate, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { DeliveryState } from '../../queue/delivery.js';
import { type AttemptReport, firstOfText } from '../../queue/delivery-log.js';
import type { Outcome } from '../../queue/leasing.js';
import { activityOf } from '../../queue/policy/activity.js';
import { isFinal, stateAfter } from '../../queue/policy/delivery-state.js';
import type { CallTime } from '../../queue/policy/queue-clock.js';
import { type FirstDelivery, firstLease, type StoredQueue } from '../../queue/stored-queue.js';
import type { DeliveryRow } from '../collections.js';
import type { FirstDeliveries } from '../enqueue/first-deliveries.js';
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

type RecordedChanges = { changes: ReadonlyMap<string, Change>; counted: number };

/** Writes the outcomes of leased deliveries in one command. */
function openRecordRows({
  collections,
  clock,
  held,
}: Shared): (outcomes: readonly Outcome[], time: CallTime) => Promise<RecordedChanges> {
  const { deliveries } = collections;

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

  /** Forgets, after a write that did not match all, the changes of deliveries that do not show them. */
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
    return { changes, counted };
  };
}

/** Writes outcomes, those of first deliveries with their rows, then the health of the listeners. */
export function openRecord(shared: Shared, firstDeliveries: FirstDeliveries): StoredQueue['record'] {
  const { collections, statistics, freed, clock, held } = shared;
  const recordRows = openRecordRows(shared);
  const recordHealth = openRecordHealth(collections, clock, held);

  /** Inserts the rows of successes; those that another instance, or an earlier call, has inserted are changed. */
  async function insertSucceeded(successes: readonly Success[], { now }: CallTime): Promise<void> {
    const rows = successes.map(({ one, outcome }) => succeededRow(one, outcome, now));
    const first = successes.map(({ one }) => one);
    const existing = await firstDeliveries.insertSucceeded(rows, first, now);
    if (existing.length === 0) return;
    const { modifiedCount } = await updateEach(collections.deliveries, existing.map(toSucceeded));
    statistics.addStates({ waiting: -modifiedCount, succeeded: modifiedCount });
  }

  return async (outcomes, time, first) => {
    const firstById = new Map(first.map((one) => [one.delivery.id, one]));
    const successes = outcomes.flatMap((outcome): Success[] => {
      const one = outcome.kind === 'succeeded' ? firstById.get(outcome.id) : undefined;
      return one && outcome.kind === 'succeeded' ? [{ one, outcome }] : [];
    });
    const succeeded = new Set(successes.map(({ one }) => one));
    await firstDeliveries.write(first.filter((one) => !succeeded.has(one)));
    await insertSucceeded(successes, time);
    const ofRows = outcomes
      .filter(({ id, kind }) => kind !== 'succeeded' || !firstById.has(id))
      .map((outcome) =>
        outcome.lease === firstLease ? { ...outcome, lease: held.tokenOf(outcome.id) ?? firstLease } : outcome,
      );
    const { changes, counted } =
      ofRows.length > 0 ? await recordRows(ofRows, time) : { changes: new Map<string, Change>(), counted: 0 };
    const listenerOutcomes = [
      ...successes.map(({ one: { delivery }, outcome }): ListenerOutcome => {
        const { orgId, listenerId } = delivery;
        return { outcome, orgId, listenerId };
      }),
      ...[...changes.values()].map(({ outcome, row: { orgId, listenerId } }) => ({ outcome, orgId, listenerId })),
    ];
    statistics.addStates(sumOf(changes.values()));
    statistics.addAttempts(listenerOutcomes, time.now);
    statistics.addActivity(activityOf(listenerOutcomes.map(({ outcome }) => outcome)), time.now);
    const [troubled] = await Promise.all([
      recordHealth(listenerOutcomes, { now: time.queueNow, leasedUntil: await leasedUntil(changes.values()) }),
      freed.announce(freedBy(changes)),
    ]);
    return { counted: counted + successes.length, troubled };
  };

  /** Latest expiry, in server time. */
  async function leasedUntil(changes: Iterable<Change>): Promise<number> {
    const expiries = [...changes].map(({ row }) => row.leasableAt.getTime());
    return expiries.length > 0 ? Math.max(...expiries) : (await clock.now()) + healthMs;
  }
}

type Success = { one: FirstDelivery; outcome: Extract<Outcome, { kind: 'succeeded' }> };

/** Time in which the health of listeners has to be written after first attempts. */
const healthMs = 60_000;

function succeededRow(
  { delivery, message, enqueuedAt }: FirstDelivery,
  { report }: Success['outcome'],
  now: number,
): DeliveryRow {
  const { id, held: _, ...rest } = delivery;
  const { status = null, error = null, startedAt } = report;
  return {
    _id: id,
    ...rest,
    position: message.position,
    state: 'succeeded',
    attempts: 1,
    leasableAt: new Date(now),
    enqueuedAt: new Date(enqueuedAt),
    endedAt: new Date(now),
    lastStatus: status,
    lastError: error,
    lastAttemptAt: new Date(startedAt),
    log: [reportToKeep(report)],
  };
}

/** A row that another instance has inserted, unless it has ended with an attempt. */
const toSucceeded = (row: DeliveryRow): DocumentUpdate<DeliveryRow> => {
  const { _id, state, endedAt, lastStatus, lastError, lastAttemptAt, log = [] } = row;
  return {
    filter: { _id, state: { $in: ['waiting', 'held', 'cancelled'] } },
    update: {
      $set: { state, endedAt, lastStatus, lastError, lastAttemptAt },
      $unset: { dueAt: '', lease: '', leaseCheckAt: '', redeliveryRequestedAt: '' },
      $inc: { attempts: 1 },
      $push: { log: { $each: [...log], $slice: -maxLogLength } },
    },
  };
};

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
