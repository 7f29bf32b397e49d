import { isFromAhead, type Stretch } from '../../queue/policy/listener-health.js';

/**
 * Length of a stretch over which successes are counted, and number of stretches kept: older ones do not affect health.
 */
const stretchMs = 60_000;
const retainedStretches = 5;

/**
 * Successes that leave the health of their listeners unchanged. They are kept in the memory of this instance until the
 * health is written next, which saves one write for nearly every success.
 */
export class UnrecordedSuccesses {
  private counts: { readonly since: number; readonly byListener: Map<string, number> }[] = [];

  add(listenerId: string, succeeded: number, now: number): void {
    if (succeeded === 0) return;
    this.forgetOld(now);
    let last = this.counts.at(-1);
    if (!last || now - last.since >= stretchMs) {
      last = { since: now, byListener: new Map() };
      this.counts.push(last);
    }
    last.byListener.set(listenerId, (last.byListener.get(listenerId) ?? 0) + succeeded);
  }

  /** Removes and returns the stretches of a listener, oldest first. */
  take(listenerId: string, now: number): readonly Stretch[] {
    this.forgetOld(now);
    return this.counts.flatMap(({ since, byListener }): Stretch[] => {
      const attempts = byListener.get(listenerId);
      byListener.delete(listenerId);
      return attempts === undefined ? [] : [[since, attempts, 0]];
    });
  }

  private forgetOld(now: number): void {
    this.counts = this.counts.filter(
      ({ since }) => since > now - retainedStretches * stretchMs && !isFromAhead(since, now),
    );
  }
}
