import type { EventsQuery } from './delivery-log.js';
import type { DeliveryQueue } from './delivery-queue.js';
import { FirstAttempts } from './first-attempts/first-attempts.js';
import type { Concerns } from './first-attempts/pending-deliveries.js';
import type { Outcome, TroubledListener } from './leasing.js';
import { byClock, type ListenerHealth } from './policy/listener-health.js';
import type { CallTime, QueueClock } from './policy/queue-clock.js';
import type { StoredQueue } from './stored-queue.js';

/**
 * Opens the port over the rows of a store. Deliveries of the fan-out are attempted from memory, and have rows before anything that reads
 * or changes rows. Callers' times are those of a clock that may be set back, the rows' those of the queue's clock.
 */
export function openQueue(rows: StoredQueue, clock: QueueClock): DeliveryQueue {
  const first = new FirstAttempts(rows);
  const timeOf = (now: number): CallTime => ({ now, queueNow: clock.at(now) });
  const outside = (time: number | undefined) => (time === undefined ? undefined : clock.outside(time));
  const healthOutside = (health: ListenerHealth) => byClock(health, (time) => clock.outside(time));
  const troubledOutside = ({ before, health, ...listener }: TroubledListener): TroubledListener => ({
    ...listener,
    before: healthOutside(before),
    health: healthOutside(health),
  });

  return {
    enqueue: (batch, now) => first.enqueue(batch, timeOf(now)),
    async lease(request) {
      const batch = await first.lease({ ...request, now: clock.at(request.now) });
      return { ...batch, nextDueAt: outside(batch.nextDueAt) };
    },
    async record(outcomes, now) {
      const time = timeOf(now); // first: it also adjusts the clock that converts the outcomes' times
      const { counted, troubled } = await first.record(
        outcomes.map((outcome) => onTime(outcome, clock)),
        time,
      );
      return { counted, troubled: troubled.map(troubledOutside) };
    },
    redeliver: (query, now) => first.alone(() => rows.redeliver(query, timeOf(now))),
    withdraw: (withdrawal) => first.alone(() => rows.withdraw(withdrawal)),
    handOver: (has, until) => first.handOver(has, clock.of(until)),
    closedGates: rows.closedGates,
    positions: (readers, options) => first.positions(readers, options),
    waiting: rows.waiting,

    async deliveries(query) {
      const { deliveries, next } = await first.written(() => rows.deliveries(query), of(query));
      return { deliveries: deliveries.map((row) => ({ ...row, dueAt: outside(row.dueAt) })), next };
    },
    async events(query) {
      const read = () => rows.events(query);
      if (mayMissNewest(query)) return read();
      const found = 'eventId' in query ? await read() : []; // it has a row as soon as one of its deliveries has
      return found.length > 0 ? found : first.written(read, of(query));
    },
    async counts(now) {
      const counts = await first.written(() => rows.counts(clock.of(now)));
      return { ...counts, oldestDueAt: outside(counts.oldestDueAt) };
    },
    statistics: rows.statistics,
    activity: rows.activity,
    exhausted: rows.exhausted, // a dead letter has a row
    setAside: rows.setAside,

    async listenerStates(listenerIds) {
      const states = await rows.listenerStates(listenerIds);
      return new Map(
        [...states].map(([listenerId, { health, keptBackUntil, nextDue, ...state }]) => [
          listenerId,
          {
            ...state,
            health: healthOutside(health),
            keptBackUntil: outside(keptBackUntil),
            nextDue: outside(nextDue),
          },
        ]),
      );
    },
    async listeners(query) {
      const isTrouble = 'dueBefore' in query;
      const listeners = await rows.listeners(isTrouble ? { ...query, dueBefore: clock.of(query.dueBefore) } : query);
      return listeners.map(({ health, dueSince, ...listener }) => ({
        ...listener,
        health: healthOutside(health),
        dueSince: outside(dueSince),
      }));
    },

    forget: (step) => first.alone(() => rows.forget(step)),
    close: () => first.close(),
  };
}

const of =
  (query: { orgId: string; listenerId?: string }): Concerns =>
  ({ orgId, listenerId }) =>
    orgId === query.orgId && (query.listenerId ?? listenerId) === listenerId;

/** Repeated often by an open page. */
const mayMissNewest = (query: EventsQuery): boolean => !('eventId' in query || 'upTo' in query);

function onTime(outcome: Outcome, clock: QueueClock): Outcome {
  if (outcome.kind === 'succeeded' || outcome.kind === 'released') return outcome;
  const notBefore = outcome.notBefore === undefined ? undefined : clock.of(outcome.notBefore);
  return outcome.kind === 'failed'
    ? { ...outcome, notBefore, retryAt: clock.of(outcome.retryAt) }
    : { ...outcome, notBefore };
}
