import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DeliveryQueue, Outcome, Recorded } from './delivery-queue.js';
import { watchTrouble } from './trouble.js';

/** Outcomes wait this long for others, so that they share a write: what they free is free already. */
const gatherMs = 5;
const maxBatch = 500;

export type OutcomeRecorder = {
  /** `leasedUntil` is on the monotonic clock, in milliseconds. */
  readonly add: (outcome: Outcome, leasedUntil: number) => void;
  /** Resolves once everything that was added is recorded, or its lease is over. */
  readonly drained: () => Promise<void>;
  /** Forgets what waits and what is added from now on: those deliveries will be repeated. */
  readonly abandon: () => void;
};

/**
 * Writes outcomes in batches. One that cannot be recorded is tried again until its lease is over; then its delivery is
 * leased again and repeated, and the log says so.
 */
export function outcomeRecorder({
  queue,
  log,
  clock,
  onTroubled,
  onWaiting,
}: {
  readonly queue: DeliveryQueue;
  readonly log: Logger;
  readonly clock: () => number;
  /** Some of what has been recorded troubled its hook. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
  /** Some of what has been recorded waits for another attempt. */
  readonly onWaiting: () => void;
}): OutcomeRecorder {
  const trouble = watchTrouble(log, 'recording outcomes');
  let waiting: { readonly outcome: Outcome; readonly leasedUntil: number }[] = [];
  let writing: Promise<void> | undefined;
  let abandoned = false;

  async function write(): Promise<void> {
    await pause(gatherMs);
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      try {
        const { troubled } = await queue.record(
          batch.map(({ outcome }) => outcome),
          clock(),
        );
        waiting = waiting.slice(batch.length);
        trouble.over();
        if (troubled.length > 0) onTroubled(troubled);
        if (batch.some(({ outcome: { kind } }) => kind === 'failed' || kind === 'released')) onWaiting();
      } catch (error) {
        await pause(trouble.met(error));
        const held = waiting.filter(({ leasedUntil }) => leasedUntil > performance.now());
        if (held.length < waiting.length) {
          log.error(
            { outcomes: waiting.length - held.length },
            'outcomes could not be recorded: these will be repeated',
          );
        }
        waiting = held;
      }
    }
    writing = undefined;
  }

  return {
    add(outcome, leasedUntil) {
      if (abandoned) return;
      waiting.push({ outcome, leasedUntil });
      writing ??= write();
    },
    drained: async () => writing,
    abandon() {
      abandoned = true;
      waiting = [];
    },
  };
}
