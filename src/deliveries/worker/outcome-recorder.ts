import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { watchFailures } from '../../kernel/failures.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { Outcome, Recorded } from '../../queue/leasing.js';

/**
 * Outcomes share a write, which costs more than they do. After a crash, deliveries whose outcomes waited are repeated.
 */
const gather = { ms: 100, outcomes: 100 };
const maxBatch = 500;

export type OutcomeRecorder = {
  /** `awaitedBy`: ordered listener whose next delivery cannot be leased before, so that it waits for no others. */
  add: (outcome: Outcome, options?: { awaitedBy?: string }) => void;
  /** Number of outcomes while their write fails; they take the slots of further attempts, which could not be recorded either. */
  unrecorded: () => number;
  /** The error of the write that is repeated. */
  error: () => unknown;
  drained: () => Promise<void>;
};

/** Repeats a failed write until it succeeds. */
export function outcomeRecorder({
  queue,
  log,
  clock,
  onTroubled,
  onWaiting,
  onAwaited,
  gatherMs = gather.ms,
}: {
  queue: Pick<DeliveryQueue, 'record'>;
  log: Logger;
  clock: () => number;
  onTroubled: (troubled: Recorded['troubled']) => void;
  /** Called when a recorded delivery waits for another attempt, and after a failure. */
  onWaiting: () => void;
  /** Called with the ordered listeners that waited for the recorded outcomes. */
  onAwaited: (listenerIds: readonly string[]) => void;
  gatherMs?: number;
}): OutcomeRecorder {
  const failures = watchFailures(log, 'recording outcomes');
  let waiting: { outcome: Outcome; awaitedBy?: string }[] = [];
  let writing: Promise<void> | undefined;
  let endGathering = (): void => undefined;
  let draining = false;

  function gathered(): Promise<void> {
    return new Promise((resolve) => {
      const isEnough =
        draining || waiting.length >= gather.outcomes || waiting.some(({ awaitedBy }) => awaitedBy !== undefined);
      if (isEnough) return resolve();
      const timer = setTimeout(resolve, gatherMs);
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
        const hadFailed = failures.current() !== undefined;
        failures.recovered();
        if (troubled.length > 0) onTroubled(troubled);
        const isWaiting = ({ outcome: { kind } }: (typeof batch)[number]) => kind === 'failed' || kind === 'released';
        if (hadFailed || batch.some(isWaiting)) onWaiting();
        const awaiting = batch.flatMap(({ awaitedBy = [] }) => awaitedBy);
        if (awaiting.length > 0) onAwaited(awaiting);
      } catch (error) {
        await pause(failures.record(error));
      }
    }
    writing = undefined;
  }

  return {
    add(outcome, { awaitedBy } = {}) {
      waiting.push({ outcome, ...(awaitedBy !== undefined && { awaitedBy }) });
      writing ??= write();
      if (awaitedBy !== undefined || draining || waiting.length >= gather.outcomes) endGathering();
    },
    unrecorded: () => (failures.current() === undefined ? 0 : waiting.length),
    error: () => (waiting.length === 0 ? undefined : failures.current()),
    async drained() {
      draining = true;
      endGathering();
      await writing;
    },
  };
}
