import type { DeliveryQueue, Outcome, TroubledHook } from './delivery-queue.js';
import type { HookState } from './hook-state.js';
import { byClock, type HookHealth } from './policy/hook-health.js';
import { QueueClock } from './policy/queue-clock.js';

/**
 * A queue for callers whose wall clock may be set back: stores times in queue time, and returns them in the callers'
 * time.
 */
export function onQueueTime(queue: DeliveryQueue): DeliveryQueue {
  const clock = new QueueClock();
  const outside = (time: number | undefined) => (time === undefined ? undefined : clock.outside(time));
  const healthOutside = (health: HookHealth) => byClock(health, (time) => clock.outside(time));
  const troubledOutside = ({ before, health, ...hook }: TroubledHook): TroubledHook => ({
    ...hook,
    before: healthOutside(before),
    health: healthOutside(health),
  });

  return {
    ...queue,
    enqueue: (batch, now) => queue.enqueue(batch, clock.at(now)),
    async lease(request) {
      const { deliveries, nextDueAt } = await queue.lease({ ...request, now: clock.at(request.now) });
      return { deliveries, nextDueAt: outside(nextDueAt) };
    },
    async record(outcomes, now) {
      const time = clock.at(now); // first: it also adjusts the clock that converts the outcomes' times
      const { counted, troubled } = await queue.record(
        outcomes.map((outcome) => onTime(outcome, clock)),
        time,
      );
      return { counted, troubled: troubled.map(troubledOutside) };
    },
    redeliver: (query, now) => queue.redeliver(query, clock.at(now)),
    async counts(now) {
      const counts = await queue.counts(clock.of(now));
      return { ...counts, oldestDueAt: outside(counts.oldestDueAt) };
    },
    list: async (query) => (await queue.list(query)).map((row) => ({ ...row, dueAt: outside(row.dueAt) })),
    async hookStates(listenerIds) {
      const stateOutside = ({ health, keptBackUntil, ...state }: HookState): HookState => ({
        ...state,
        health: healthOutside(health),
        keptBackUntil: outside(keptBackUntil),
      });
      const states = await queue.hookStates(listenerIds);
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
