import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type FailingPolicy, type FailingStep, failingStep } from '../../listeners/commands/failing-listener.js';
import { maskedHookUrl } from '../../listeners/hook-url.js';
import type { TroubledListener } from '../../queue/leasing.js';

export type FailureReport = Pick<TroubledListener, 'listenerId' | 'orgId' | 'hookUrl'> & {
  failing: NonNullable<TroubledListener['health']['failing']>;
  policy: FailingPolicy;
};

export type TroubledListenersSettings = {
  log: Logger;
  clock: () => number;
  /** Undefined: no listener is paused by itself. */
  failingPolicy: FailingPolicy | undefined;
  /** Records the step once; resolves to it, or to 0 where it had been recorded. */
  onFailing: (listener: FailureReport) => Promise<FailingStep>;
  observer: TroubleObserver;
};

export type TroubleObserver = {
  onBreaker?: (now: 'open' | 'closed') => void;
  onNotice?: (percent: FailingStep) => void;
};

/** `onFailing` then sees its history after a resume. */
const askAgainMs = 10 * 60_000;
/** A listener that was dropped is reported again. */
const maxRemembered = 10_000;

type Asked = { step: FailingStep; at: number; since: number };

/** Reports circuit breakers, and listeners on their way to be paused. Never throws. */
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
