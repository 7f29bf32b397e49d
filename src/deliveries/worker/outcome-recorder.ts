import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { watchTrouble } from '../../kernel/trouble.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { Outcome, Recorded } from '../queue/leasing.js';

/**
 * Outcomes wait for others to share a write, which costs more than they do: their slots are free already. After a crash, the
 * deliveries whose outcomes waited are repeated.
 */
const gather = { ms: 100, outcomes: 100 };
const maxBatch = 500;

export type OutcomeRecorder = {
  /**
   * `leaseExpiresAt` is on the monotonic clock, in milliseconds. `awaited`: something cannot be leased until it is recorded, so
   * it waits for no others.
   */
  readonly add: (outcome: Outcome, leaseExpiresAt: number, options: { readonly awaited: boolean }) => void;
  /** Resolves once everything that was added is recorded, or its lease is over. */
  readonly drained: () => Promise<void>;
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
  readonly queue: Pick<DeliveryQueue, 'record'>;
  readonly log: Logger;
  readonly clock: () => number;
  /** Some of what has been recorded troubled its listener. */
  readonly onTroubled: (troubled: Recorded['troubled']) => void;
  /** Some of what has been recorded waits for another attempt, or was waited for. */
  readonly onWaiting: () => void;
}): OutcomeRecorder {
  const trouble = watchTrouble(log, 'recording outcomes');
  let waiting: { readonly outcome: Outcome; readonly leaseExpiresAt: number; readonly awaited: boolean }[] = [];
  let writing: Promise<void> | undefined;
  let endGathering = (): void => undefined;
  let draining = false;

  /** Resolves once there are enough outcomes for a write, or after `gather.ms`. */
  function gathered(): Promise<void> {
    return new Promise((resolve) => {
      const isEnough = draining || waiting.length >= gather.outcomes || waiting.some(({ awaited }) => awaited);
      if (isEnough) return resolve();
      const timer = setTimeout(resolve, gather.ms);
      endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function write(): Promise<void> {
    for (await gathered(); waiting.length > 0; await gathered()) {
      const batch = waiting.slice(0, maxBatch);
      try {
        const { troubled } = await queue.record(
          batch.map(({ outcome }) => outcome),
          clock(),
        );
        waiting = waiting.slice(batch.length);
        trouble.over();
        if (troubled.length > 0) onTroubled(troubled);
        const isWaiting = ({ outcome: { kind }, awaited }: (typeof batch)[number]) =>
          awaited || kind === 'failed' || kind === 'released';
        if (batch.some(isWaiting)) onWaiting();
      } catch (error) {
        await pause(trouble.met(error));
        const held = waiting.filter(({ leaseExpiresAt }) => leaseExpiresAt > performance.now());
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
    add(outcome, leaseExpiresAt, { awaited }) {
      waiting.push({ outcome, leaseExpiresAt, awaited });
      writing ??= write();
      if (awaited || draining || waiting.length >= gather.outcomes) endGathering();
    },
    async drained() {
      draining = true;
      endGathering();
      await writing;
    },
  };
}
