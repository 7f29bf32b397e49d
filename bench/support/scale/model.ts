import { eachPart, type Load, type Processor } from './cluster.js';

/** Measured with one instance before anything is predicted, in milliseconds of processor time. */
export type Inputs = {
  /** Number of cores that a load keeps busy, of those that all processes share. */
  cores: number;
  /** A second of an instance at rest. */
  rest: Processor;
  /** An event with one delivery, and one with two, without the rest. */
  event: Processor;
  doubled: Processor;
  /** An event that another instance handles: read as it comes at `perSecond`, and among many; and serving the read. */
  reading: {
    live: number;
    perSecond: number;
    history: number;
    eventStoreDb: number;
  };
};

export type Prediction = {
  eventsPerSecond: number;
  /** Time of all instances' processes, for an event. */
  instanceMs: number;
};

export const sumOf = (costs: Processor): number => Object.values(costs).reduce((sum, cost) => sum + cost, 0);

export const costOfEvent = ({ events, processor, watchedMs }: Load, rest: Processor): Processor =>
  eachPart((part) => (processor[part] - (rest[part] * watchedMs) / 1_000) / events);

/**
 * Events with one delivery on one machine, as many as the callers can publish:
 * cores × 1000 = events a second × (event + (instances - 1) × reading) + instances × rest.
 */
export function predict({ cores, rest, event, reading }: Inputs, instances: number): Prediction {
  const others = instances - 1;
  const restMs = instances * sumOf(rest);
  // A process wakes up as often at higher rates, and finds more events each time.
  const wakeUpsMs = others * (reading.live - reading.history) * reading.perSecond;
  const eventMs = sumOf(event) + others * (reading.history + reading.eventStoreDb);
  const eventsPerSecond = (cores * 1_000 - restMs - wakeUpsMs) / eventMs;
  const perEvent = (instances * rest.instances + wakeUpsMs) / eventsPerSecond;
  return { eventsPerSecond, instanceMs: event.instances + others * reading.history + perEvent };
}
