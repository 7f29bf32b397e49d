import type { DeliveryQuery, ListedDelivery, Redelivered } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { Enqueued, FanOutBatch, LeasedBatch, Outcome, Recorded, TroubledListener } from './leasing.js';
import type { ListenerState } from './listener-log.js';
import { byClock, type ListenerHealth } from './policy/listener-health.js';
import type { CallTime, QueueClock } from './policy/queue-clock.js';

/**
 * The port as an adapter implements it, in the queue's time. Calls that record when something happened get both times.
 */
export type QueueOnItsTime = Omit<DeliveryQueue, 'enqueue' | 'record' | 'redeliver'> & {
  enqueue: (batch: FanOutBatch, time: CallTime) => Promise<Enqueued>;
  record: (outcomes: readonly Outcome[], time: CallTime) => Promise<Recorded>;
  redeliver: (query: DeliveryQuery, time: CallTime) => Promise<Redelivered>;
};

/** Converts between the callers' clock, which may be set back, and the queue's clock. */
export function onQueueTime(queue: QueueOnItsTime, clock: QueueClock): DeliveryQueue {
  const outside = (time: number | undefined) => (time === undefined ? undefined : clock.outside(time));
  const healthOutside = (health: ListenerHealth) => byClock(health, (time) => clock.outside(time));
  const listedOutside = (row: ListedDelivery) => ({ ...row, dueAt: outside(row.dueAt) });
  const batchOutside = (batch: LeasedBatch) => ({ ...batch, nextDueAt: outside(batch.nextDueAt) });
  const troubledOutside = ({ before, health, ...listener }: TroubledListener): TroubledListener => ({
    ...listener,
    before: healthOutside(before),
    health: healthOutside(health),
  });
  const stateOutside = ({ health, keptBackUntil, nextDue, ...state }: ListenerState): ListenerState => ({
    ...state,
    health: healthOutside(health),
    keptBackUntil: outside(keptBackUntil),
    nextDue: outside(nextDue),
  });
  const timeOf = (now: number): CallTime => ({ now, queueNow: clock.at(now) });

  return {
    ...queue,
    enqueue: (batch, now) => queue.enqueue(batch, timeOf(now)),
    lease: async (request) => batchOutside(await queue.lease({ ...request, now: clock.at(request.now) })),
    async record(outcomes, now) {
      const time = timeOf(now); // first: it also adjusts the clock that converts the outcomes' times
      const { counted, troubled } = await queue.record(
        outcomes.map((outcome) => onTime(outcome, clock)),
        time,
      );
      return { counted, troubled: troubled.map(troubledOutside) };
    },
    redeliver: (query, now) => queue.redeliver(query, timeOf(now)),
    handOver: (has, until) => queue.handOver(has, clock.of(until)),
    async counts(now) {
      const counts = await queue.counts(clock.of(now));
      return { ...counts, oldestDueAt: outside(counts.oldestDueAt) };
    },
    async deliveries(query) {
      const { deliveries, next } = await queue.deliveries(query);
      return { deliveries: deliveries.map(listedOutside), next };
    },
    async listenersInTrouble({ dueBefore, ...query }) {
      const listeners = await queue.listenersInTrouble({ ...query, dueBefore: clock.of(dueBefore) });
      return listeners.map(({ health, dueSince, ...listener }) => ({
        ...listener,
        health: healthOutside(health),
        dueSince: outside(dueSince),
      }));
    },
    async listenerStates(listenerIds) {
      const states = await queue.listenerStates(listenerIds);
      return new Map([...states].map(([listenerId, state]) => [listenerId, stateOutside(state)]));
    },
  };
}

function onTime(outcome: Outcome, clock: QueueClock): Outcome {
  if (outcome.kind === 'succeeded' || outcome.kind === 'released') return outcome;
  const notBefore = outcome.notBefore === undefined ? undefined : clock.of(outcome.notBefore);
  return outcome.kind === 'failed'
    ? { ...outcome, notBefore, retryAt: clock.of(outcome.retryAt) }
    : { ...outcome, notBefore };
}
