import type { Logger } from 'pino';
import { describeFailure } from './failures.js';

export type ConnectionStatus = {
  /** The last call was answered and every subscription is open. */
  connected: boolean;
  since: Date;
  /** Failure of the part that has been failing for longest. For operators: it may name addresses. */
  error: string | undefined;
  failing: readonly FailingPart[];
  /** Subscriptions reopened after they were dropped, ended or silent. */
  resubscriptions: number;
};

type FailingPart = { name: string; since: Date };

/** All calls together, or one subscription. */
export type StatusPart = {
  working: () => void;
  failing: (error: unknown) => void;
  resubscribing: () => void;
  /** True where nothing has failed for `graceMs`, else once in each such interval. */
  mayTryFor: (ms: number, graceMs: number) => boolean;
  /** Removes the part and its failure. */
  end: () => void;
};

export type StatusBoard = ReturnType<typeof statusBoard>;

export type StatusLog = Pick<Logger, 'warn' | 'info'> & Partial<Pick<Logger, 'debug'>>;

/** Logs the start and the end of each failure once; reopening a subscription is normal operation. */
export function statusBoard(log: StatusLog | undefined) {
  const failures = new Map<StatusPart, FailingPart & { error: unknown; beganAt: number }>();
  let since = new Date();
  let resubscriptions = 0;

  function changed(change: () => void): void {
    const before = failures.size === 0;
    change();
    if ((failures.size === 0) !== before) since = new Date();
  }

  return {
    part(name: string): StatusPart {
      let triedAt = Number.NEGATIVE_INFINITY;
      const part: StatusPart = {
        working() {
          if (!failures.has(part)) return;
          changed(() => failures.delete(part));
          log?.info(`${name}: EventStoreDB is reached again`);
        },
        failing(error) {
          if (!failures.has(part)) log?.warn({ err: error }, `${name}: EventStoreDB is not reached; retrying`);
          const { since: began = new Date(), beganAt = performance.now() } = failures.get(part) ?? {};
          changed(() => failures.set(part, { name, since: began, beganAt, error }));
        },
        resubscribing: () => {
          resubscriptions += 1;
          log?.debug?.(`${name}: it was dropped, and is reopened`);
        },
        mayTryFor(ms, graceMs) {
          const failure = failures.get(part);
          if (!failure || performance.now() - failure.beganAt < graceMs) return true;
          if (performance.now() - triedAt < ms) return false;
          triedAt = performance.now();
          return true;
        },
        end: () => changed(() => failures.delete(part)),
      };
      return part;
    },
    status(): ConnectionStatus {
      const [failure] = failures.values();
      return {
        connected: failures.size === 0,
        since,
        error: failures.size === 0 ? undefined : describeFailure(failure?.error),
        failing: Array.from(failures.values(), ({ name, since: began }) => ({ name, since: began })),
        resubscriptions,
      };
    },
  };
}
