import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import {
  type FailingPolicy,
  type FailingStep,
  failingStep,
} from '../../registrations/listeners/failing/failing-policy.js';
import { maskedHookUrl } from '../../registrations/listeners/masked-hook-url.js';
import type { TroubledHook } from '../queue/leasing.js';

/** A hook at which nothing succeeds, and how far it is on its way to be paused. */
export type FailingHook = Pick<TroubledHook, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly failing: NonNullable<TroubledHook['health']['failing']>;
  readonly policy: FailingPolicy;
};

export type TroubledHooksSettings = {
  readonly log: Logger;
  readonly clock: () => number;
  /** Undefined: no hook is paused by itself. */
  readonly failingPolicy: FailingPolicy | undefined;
  /** Says so in the history, once for each step; resolves with the step that it has said, 0 where it had been said before. */
  readonly onFailing: (hook: FailingHook) => Promise<FailingStep>;
  readonly onBreaker?: ((now: 'open' | 'closed') => void) | undefined;
  readonly onNotice?: ((percent: FailingStep) => void) | undefined;
};

/** Interval after which a failing hook is reported again: `onFailing` then sees its history after a resume. */
const askAgainMs = 10 * 60_000;
/** Maximum number of hooks remembered, to bound memory: one that was dropped is reported again. */
const maxRemembered = 10_000;

/** How far a hook was when that was last asked, when, and since when nothing had succeeded. */
type Asked = { readonly step: FailingStep; readonly at: number; readonly since: number };

/** Tells of breakers that open and close, and of hooks that are on their way to be paused. Its result never throws. */
export function watchTroubledHooks(settings: TroubledHooksSettings): (troubled: readonly TroubledHook[]) => void {
  const { log, clock, failingPolicy, onFailing, onBreaker, onNotice } = settings;
  const asked = new LRUCache<string, Asked>({ max: maxRemembered });

  function noticeBreaker({ listenerId, orgId, hookUrl, before, health }: TroubledHook): void {
    const [was, is] = [before.breaker?.openings ?? 0, health.breaker?.openings ?? 0];
    if (is === was) return;
    const hook = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl) };
    if (is === 0) log.info(hook, 'the circuit breaker of a hook has closed');
    else {
      const openUntil = new Date(health.breaker?.openUntil ?? 0).toISOString();
      log.warn({ ...hook, openings: is, openUntil }, 'the circuit breaker of a hook has opened');
    }
    onBreaker?.(is === 0 ? 'closed' : 'open');
  }

  async function noticeFailing({ listenerId, orgId, hookUrl, health: { failing } }: TroubledHook): Promise<void> {
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
      const hook = { listenerId, orgId, hookUrl: maskedHookUrl(hookUrl), since, failures: failing.attempts, percent };
      log.warn(hook, percent < 100 ? 'a hook keeps failing, and will be paused' : 'a hook that kept failing is paused');
      onNotice?.(percent);
    } catch (error) {
      asked.delete(listenerId); // its next failure asks again
      log.error({ err: error, listenerId }, 'a hook that keeps failing could not be noted');
    }
  }

  return (troubled) => {
    for (const hook of troubled) {
      noticeBreaker(hook);
      void noticeFailing(hook);
    }
  };
}
