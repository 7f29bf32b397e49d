import { type DocumentUpdate, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { DeliveryState } from '../../delivery.js';
import { type AttemptReport, firstOfText } from '../../delivery-log.js';
import type { Outcome } from '../../leasing.js';
import { activityOf } from '../../policy/activity.js';
import { isFinal, stateAfter } from '../../policy/delivery-state.js';
import type { CallTime } from '../../policy/queue-clock.js';
import type { FirstDelivery, StoredQueue } from '../../stored-queue.js';
import type { DeliveryRow } from '../collections.js';
import type { FirstDeliveries } from '../enqueue/first-deliveries.js';
import { dueTimesOf } from '../lease/announced-deliveries.js';
import type { RowUnderWay } from '../lease/under-way.js';
import type { Shared } from '../shared.js';
import { openRecordHealth } from './record-health.js';
import type { ListenerOutcome } from './statistics.js';

/** The report of an attempt as the log keeps it, with a bounded answer. */
const reportToKeep = (report: AttemptReport): AttemptReport =>
  report.answer === undefined ? report : { ...report, answer: firstOfText(report.answer) };

/** The change of a delivery under way after an outcome. `stored`: its row before it. */
type Change = {
  outcome: Outcome;
  row: RowUnderWay;
  stored: { state: DeliveryState; requests: number };
  to: DeliveryState;
  /** Undefined unless it waits. */
  dueAt?: Date;
};

/** Maximum number of rounds: a closing gate or a redelivery during the write requires another one. */
const maxRounds = 3;
/** Maximum number of attempts kept in a delivery, to bound its size. */
const maxLogLength = 100;

/** Writes the outcomes of deliveries under way in one command, each if its row has the same number of attempts as when it was read. */
function openRecordRows({
  collections: { deliveries },
  underWay,
  rowsAhead,
}: Shared): (outcomes: readonly Outcome[], time: CallTime) => Promise<readonly Change[]> {
  /** Finds those that have to be written on another row than was expected, and those that were written. The others are of no use. */
  async function lookAgain(changes: readonly Change[], queueNow: number) {
    const rows = deliveries
      .find({ _id: { $in: changes.map(({ row }) => row._id) } })
      .project<Pick<DeliveryRow, '_id' | 'state' | 'attempts' | 'requests' | 'lastAttemptAt'>>({
        state: 1,
        attempts: 1,
        requests: 1,
        lastAttemptAt: 1,
      });
    const rowOf = new Map((await rows.toArray()).map((row) => [row._id, row]));
    const written: Change[] = [];
    const left: Change[] = [];
    for (const change of changes) {
      const { outcome, row } = change;
      const { attempts, state, requests = 0, lastAttemptAt } = rowOf.get(row._id) ?? {};
      if (attempts === row.attempts && state) left.push(changeOf(outcome, row, { state, requests }, queueNow));
      else if (attempts === row.attempts + 1 && lastAttemptAt?.getTime() === startOf(outcome)) written.push(change);
    }
    return { written, left };
  }

  return async (outcomes, { now, queueNow }) => {
    const changes = outcomes.flatMap((outcome): Change[] => {
      const row = underWay.find(outcome.id, outcome.asRead);
      return row ? [changeOf(outcome, row, { state: 'waiting', requests: row.requests }, queueNow)] : [];
    });
    const recorded = changes.filter(({ outcome, row }) => outcome.kind === 'released' && !row.handedOver); // due as before
    let left = changes.filter((change) => !recorded.includes(change));
    for (let round = 1; left.length > 0 && round <= maxRounds; round += 1) {
      const { matchedCount } = await updateEach(
        deliveries,
        left.map((change) => toWrite(change, now)),
      );
      const isAll = matchedCount === left.length;
      const { written, left: others } = isAll ? { written: left, left: [] } : await lookAgain(left, queueNow);
      recorded.push(...written);
      left = others;
    }
    for (const { id } of outcomes) underWay.remove(id);
    rowsAhead.succeeded(new Set(recorded.flatMap(({ row, to }) => (to === 'succeeded' ? row._id : []))));
    return recorded;
  };
}

const startOf = (outcome: Outcome): number | undefined =>
  outcome.kind === 'released' ? undefined : outcome.report.startedAt;

/** Writes outcomes, those of first deliveries with their rows, then the health of the listeners. */
export function openRecord(shared: Shared, firstDeliveries: FirstDeliveries): StoredQueue['record'] {
  const { collections, statistics, announced, calm, invalidateOthers } = shared;
  const recordRows = openRecordRows(shared);
  const recordHealth = openRecordHealth(collections, calm);

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
    const ofRows = outcomes.filter(({ id, kind }) => kind !== 'succeeded' || !firstById.has(id));
    const changes = await recordRows(ofRows, time);
    const listenerOutcomes = [
      ...successes.map(({ one: { delivery }, outcome }): ListenerOutcome => {
        const { orgId, listenerId } = delivery;
        return { outcome, orgId, listenerId };
      }),
      ...changes.map(({ outcome, row: { orgId, listenerId } }) => ({ outcome, orgId, listenerId })),
    ];
    statistics.addStates(sumOf(changes));
    statistics.addAttempts(listenerOutcomes, time.now);
    statistics.addActivity(activityOf(listenerOutcomes.map(({ outcome }) => outcome)), time.now);
    // The due bounds of the other listeners are earlier already.
    const handedOver = changes.flatMap(({ row: { listenerId, handedOver }, dueAt }) =>
      handedOver && dueAt ? [{ listenerId, dueAt }] : [],
    );
    const [troubled] = await Promise.all([
      recordHealth(listenerOutcomes, time.queueNow),
      announced.wake(dueTimesOf(handedOver)),
    ]);
    await invalidateOthers(listenerOutcomes.filter(({ outcome: { kind } }) => kind !== 'succeeded'));
    return { counted: changes.length + successes.length, troubled };
  };
}

type Success = { one: FirstDelivery; outcome: Extract<Outcome, { kind: 'succeeded' }> };

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
    enqueuedAt: new Date(enqueuedAt),
    endedAt: new Date(now),
    lastStatus: status,
    lastError: error,
    lastAttemptAt: new Date(startedAt),
    log: [reportToKeep(report)],
  };
}

/** The change of a row that another instance has inserted, unless it has ended with an attempt, or a redelivery was requested. */
const toSucceeded = (row: DeliveryRow): DocumentUpdate<DeliveryRow> => {
  const { _id, state, endedAt, lastStatus, lastError, lastAttemptAt, log = [] } = row;
  return {
    filter: { _id, state: { $in: ['waiting', 'held', 'cancelled'] }, requests: { $exists: false } },
    update: {
      $set: { state, endedAt, lastStatus, lastError, lastAttemptAt },
      $unset: { dueAt: '', unannounced: '' },
      $inc: { attempts: 1 },
      $push: { log: { $each: [...log], $slice: -maxLogLength } },
    },
  };
};

function changeOf(outcome: Outcome, row: RowUnderWay, stored: Change['stored'], queueNow: number): Change {
  const before = { state: stored.state, redeliverAfterLease: stored.requests !== row.requests };
  const { state, dueAt } = stateAfter(before, outcome, queueNow);
  return { outcome, row, stored, to: state, ...(dueAt !== undefined && { dueAt: new Date(dueAt) }) };
}

/** `now`: by the caller's clock. */
function toWrite({ outcome, row, stored, to, dueAt }: Change, now: number): DocumentUpdate<DeliveryRow> {
  const { state, requests } = stored;
  const filter = {
    _id: row._id,
    state,
    attempts: row.attempts,
    requests: requests === 0 ? { $exists: false } : requests,
  };
  if (outcome.kind === 'released') return { filter, update: dueAt ? { $set: { dueAt } } : { $set: { state } } };
  const { status = null, error = null, startedAt } = outcome.report;
  const attempt = { state: to, lastStatus: status, lastError: error, lastAttemptAt: new Date(startedAt) };
  const update = dueAt
    ? { $set: { ...attempt, dueAt } }
    : { $set: { ...attempt, endedAt: isFinal(to) ? new Date(now) : undefined }, $unset: { dueAt: '' as const } };
  const log = { $each: [reportToKeep(outcome.report)], $slice: -maxLogLength };
  return { filter, update: { ...update, $inc: { attempts: 1 }, $push: { log } } };
}

function sumOf(changes: readonly Change[]): Partial<Record<DeliveryState, number>> {
  const sum: Partial<Record<DeliveryState, number>> = {};
  for (const { stored, to } of changes) {
    sum[stored.state] = (sum[stored.state] ?? 0) - 1;
    sum[to] = (sum[to] ?? 0) + 1;
  }
  return sum;
}
