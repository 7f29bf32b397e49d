import type { DeliveryQueue, Outcome } from '../delivery-queue.js';
import { QueueClock } from '../queue-clock.js';

/** A queue for callers whose wall clock may be set back: what they are told is on theirs, what is kept on the queue's time. */
export function onQueueTime(queue: DeliveryQueue): DeliveryQueue {
  const clock = new QueueClock();
  const outside = (time: number | undefined) => (time === undefined ? undefined : clock.outside(time));

  return {
    ...queue,
    enqueue: (batch, now) => queue.enqueue(batch, clock.at(now)),
    async lease(request) {
      const { deliveries, nextDueAt } = await queue.lease({ ...request, now: clock.at(request.now) });
      return { deliveries, nextDueAt: outside(nextDueAt) };
    },
    record: (outcomes, now) =>
      queue.record(
        outcomes.map((outcome) => onTime(outcome, clock)),
        clock.at(now),
      ),
    redeliver: (query, now) => queue.redeliver(query, clock.at(now)),
    async counts(now) {
      const counts = await queue.counts(clock.of(now));
      return { ...counts, oldestDueAt: outside(counts.oldestDueAt) };
    },
    list: async (query) => (await queue.list(query)).map((row) => ({ ...row, dueAt: outside(row.dueAt) })),
  };
}

function onTime(outcome: Outcome, clock: QueueClock): Outcome {
  if (outcome.kind === 'succeeded' || outcome.kind === 'released') return outcome;
  const notBefore = outcome.notBefore === undefined ? undefined : clock.of(outcome.notBefore);
  return outcome.kind === 'failed'
    ? { ...outcome, notBefore, retryAt: clock.of(outcome.retryAt) }
    : { ...outcome, notBefore };
}
