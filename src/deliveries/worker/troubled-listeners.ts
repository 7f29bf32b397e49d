import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type FailingPolicy, type FailingStep, failingStep } from '../../listeners/failing/failing-policy.js';
import { maskedHookUrl } from '../../listeners/masked-hook-url.js';
import type { TroubledListener } from '../queue/leasing.js';

/** A listener at which nothing succeeds, and how far it is on its way to be paused. */
export type FailureReport = Pick<TroubledListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly failing: NonNullable<TroubledListener['health']['failing']>;
  readonly policy: FailingPolicy;
};

export type TroubledListenersSettings = {
  readonly log: Logger;
  readonly clock: () => number;
  /** Undefined: no listener is paused by itself. */
  readonly failingPolicy: FailingPolicy | undefined;
  /** Says so in the history, once for each step; resolves with the step that it has said, 0 where it had been said before. */
  readonly onFailing: (listener: FailureReport) => Promise<FailingStep>;
  readonly observer: TroubleObserver;
};

/** What is measured of troubled listeners. */
export type TroubleObserver = {
  readonly onBreaker?: (now: 'open' | 'closed') => void;
  readonly onNotice?: (percent: FailingStep) => void;
};

/** Interval after which a failing listener is reported again: `onFailing` then sees its history after a resume. */
const askAgainMs = 10 * 60_000;
/** Maximum number of listeners remembered, to bound memory: one that was dropped is reported again. */
const maxRemembered = 10_000;

/** How far a listener was when that was last asked, when, and since when nothing had succeeded. */
type Asked = { readonly step: FailingStep; readonly at: number; readonly since: number };

/** Tells of breakers that open and close, and of listeners that are on their way to be paused. Its result never throws. */
export function watchTroubledListeners(
  settings: TroubledListenersSettings,
): (troubled: readonly TroubledListener[]) => void {
  const { log, clock, failingPolicy, onFailing, observer } = settings;
  const asked = new LRUCache<string, Asked>({ max: maxRemembered });

  function noticeBreaker({ listenerId, orgId, hookUrl, before, health }: TroubledListener): void {
    const [was, is] = [before.breaker?.openings ?? 0, health.breaker?.openings ?? 0];
    if (is === was) return;
    const listener = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl) };
    if (is === 0) log.info(listener, 'the circuit breaker of a listener has closed');
    else {
      const openUntil = new Date(health.breaker?.openUntil ?? 0).toISOString();
      log.warn({ ...listener, openings: is, openUntil }, 'the circuit breaker of a listener has opened');
    }
    observer.onBreaker?.(is === 0 ? 'closed' : 'open');
  }

  async function noticeFailing({ listenerId, orgId, hookUrl, health: { failing } }: TroubledListener): Promise<void> {
    if (!failing || !failingPolicy) return;
    const now = clock();
    const step = failingStep(failing, now, failingPolicy);
    const last = asked.peek(listenerId);
    const goesOn = last?.since === failing.since; // otherwise something has succeeded since, or it was resumed
    if (step === 0 || (last && goesOn && last.step >= step && Math.abs(now - last.at) < askAgainMs)) return;
    asked.set(listenerId, { step, at: now, since: failing.since });
    try {
      const percent = await onFailing({ listenerId, orgId, hookUrl, failing, policy: failingPolicy });
      if (percent === 0) return;
      const since = new Date(failing.since).toISOString();
      const listener = {
        listenerId,
        orgId,
        hookUrl: maskedHookUrl(hookUrl),
        since,
        failures: failing.attempts,
        percent,
      };
      log.warn(
        listener,
        percent < 100 ? 'a listener keeps failing, and will be paused' : 'a listener that kept failing is paused',
      );
      observer.onNotice?.(percent);
    } catch (error) {
      asked.delete(listenerId); // its next failure asks again
      log.error({ err: error, listenerId }, 'a listener that keeps failing could not be noted');
    }
  }

  return (troubled) => {
    for (const listener of troubled) {
      noticeBreaker(listener);
      void noticeFailing(listener);
    }
  };
}
