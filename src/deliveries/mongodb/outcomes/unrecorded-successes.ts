import { isFromAhead, type Stretch } from '../../queue/hook-health.js';

/** Successes are counted by retainedStretches of this length, and for so many of them: what is older says nothing of a hook's health. */
const stretchMs = 60_000;
const retainedStretches = 5;

/**
 * Successes of hooks of which there is nothing else to say. They are kept by this instance alone until there is: a write
 * for each of them would be in vain nearly always.
 */
export class UnrecordedSuccesses {
  private counts: { readonly since: number; readonly byHook: Map<string, number> }[] = [];

  add(listenerId: string, succeeded: number, now: number): void {
    if (succeeded === 0) return;
    this.forgetOld(now);
    let last = this.counts.at(-1);
    if (!last || now - last.since >= stretchMs) {
      last = { since: now, byHook: new Map() };
      this.counts.push(last);
    }
    last.byHook.set(listenerId, (last.byHook.get(listenerId) ?? 0) + succeeded);
  }

  /** What is known of a hook, oldest first; from then on somebody else has to know it. */
  take(listenerId: string, now: number): readonly Stretch[] {
    this.forgetOld(now);
    return this.counts.flatMap(({ since, byHook }): Stretch[] => {
      const attempts = byHook.get(listenerId);
      byHook.delete(listenerId);
      return attempts === undefined ? [] : [[since, attempts, 0]];
    });
  }

  private forgetOld(now: number): void {
    this.counts = this.counts.filter(
      ({ since }) => since > now - retainedStretches * stretchMs && !isFromAhead(since, now),
    );
  }
}
