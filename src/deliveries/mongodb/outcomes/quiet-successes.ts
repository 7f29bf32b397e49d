import { isFromAhead, type Stretch } from '../../queue/hook-health.js';

/** Successes are counted by stretches of this length, and for so many of them: what is older says nothing of a hook's health. */
const stretchMs = 60_000;
const stretches = 5;

/**
 * Successes of hooks of which there is nothing else to say. They are kept by this instance alone until there is: a write
 * for each of them would be in vain nearly always.
 */
export class QuietSuccesses {
  private counts: { readonly since: number; readonly ofHooks: Map<string, number> }[] = [];

  add(listenerId: string, succeeded: number, now: number): void {
    if (succeeded === 0) return;
    this.forgetOld(now);
    let last = this.counts.at(-1);
    if (!last || now - last.since >= stretchMs) {
      last = { since: now, ofHooks: new Map() };
      this.counts.push(last);
    }
    last.ofHooks.set(listenerId, (last.ofHooks.get(listenerId) ?? 0) + succeeded);
  }

  /** What is known of a hook, oldest first; from then on somebody else has to know it. */
  take(listenerId: string, now: number): readonly Stretch[] {
    this.forgetOld(now);
    return this.counts.flatMap(({ since, ofHooks }): Stretch[] => {
      const attempts = ofHooks.get(listenerId);
      ofHooks.delete(listenerId);
      return attempts === undefined ? [] : [[since, attempts, 0]];
    });
  }

  private forgetOld(now: number): void {
    this.counts = this.counts.filter(({ since }) => since > now - stretches * stretchMs && !isFromAhead(since, now));
  }
}
