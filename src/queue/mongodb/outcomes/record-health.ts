import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { TroubledListener } from '../../leasing.js';
import { isFromAhead, type Stretch } from '../../policy/listener-health.js';
import type { Collections } from '../collections.js';
import type { CalmListeners } from '../lease/calm-listeners.js';
import { compareAndSetListeners } from './compare-and-set-listeners.js';
import { attemptsOf, type ListenerOutcome } from './statistics.js';
import { type ObservedListener, updateListenerHealth } from './update-health.js';

/**
 * Length of a stretch over which successes are counted, and number of stretches kept: older ones do not affect health.
 */
const stretchMs = 60_000;
const retainedStretches = 5;

/**
 * Successes that leave the health of their listeners unchanged. They are kept in the memory of this instance until the
 * health is written next, which saves one write for nearly every success.
 */
class UnrecordedSuccesses {
  private counts: { since: number; byListener: Map<string, number> }[] = [];

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

/**
 * Writes the health of listeners after outcomes, `now` in queue time. Returns the troubled listeners. If others write the same
 * listeners, it reads and writes again for five seconds; then it throws `StoreUnavailable`.
 */
export type RecordHealth = (
  listenerOutcomes: readonly ListenerOutcome[],
  now: number,
) => Promise<readonly TroubledListener[]>;

const fields = { orgId: 1, hookUrl: 1, closed: 1, health: 1, version: 1 } as const;
/**
 * Backoff with full jitter. The first pause is about as long as a read and a write; the longest does not delay others
 * noticeably.
 */
const backoff = { firstMs: 10, maxMs: 500 };
const writeWithinMs = 5_000;

export function openRecordHealth(
  { listeners }: Pick<Collections, 'listeners'>,
  calm: Pick<CalmListeners, 'isHealthy' | 'forget'>,
): RecordHealth {
  const unrecorded = new UnrecordedSuccesses();

  /** Pauses for a random time: instances that lost against the same write would otherwise collide again. */
  async function pauseAfter(losses: number, until: number): Promise<void> {
    if (performance.now() >= until) {
      throw new StoreUnavailable('MongoDB: others write the health of the same listeners', { retryAfterMs: 1_000 });
    }
    await pause(Math.random() * Math.min(backoff.firstMs * 2 ** losses, backoff.maxMs));
  }

  return async (listenerOutcomes, now) => {
    const until = performance.now() + writeWithinMs;
    const attempts = new Map(attemptsOf(listenerOutcomes));
    const released = new Set(
      listenerOutcomes.flatMap(({ outcome, listenerId }) => (outcome.kind === 'released' ? [listenerId] : [])),
    );
    const taken = new Map<string, readonly Stretch[]>();
    const troubled: TroubledListener[] = [];

    /** Takes the listener's unrecorded successes, once for all rounds. */
    function unrecordedOf(listenerId: string): readonly Stretch[] {
      const stretches = taken.get(listenerId) ?? unrecorded.take(listenerId, now);
      taken.set(listenerId, stretches);
      return stretches;
    }

    /** True of a listener whose successes need neither a write nor, as its health is known, a read. */
    function isUnaffected(listenerId: string): boolean {
      const { succeeded = 0, failures = 0 } = attempts.get(listenerId) ?? {};
      if (failures > 0) calm.forget(listenerId);
      if (!calm.isHealthy(listenerId) || failures > 0) return false;
      unrecorded.add(listenerId, succeeded, now);
      return true;
    }

    let ids = [...new Set(listenerOutcomes.map(({ listenerId }) => listenerId))].filter((id) => !isUnaffected(id));
    for (let losses = 0; ids.length > 0; losses += 1) {
      if (losses > 0) await pauseAfter(losses, until);
      const observed = listeners.find({ _id: { $in: ids } }).project<ObservedListener>(fields);
      const updates = (await observed.toArray()).map((listener) => {
        const takeUnrecorded = () => unrecordedOf(listener._id);
        const outcome = { attempts: attempts.get(listener._id), released: released.has(listener._id) };
        return updateListenerHealth(listener, { ...outcome, unrecorded: takeUnrecorded, now });
      });
      for (const { listener, isUnaffected } of updates) {
        if (!isUnaffected) continue;
        unrecorded.add(listener._id, attempts.get(listener._id)?.succeeded ?? 0, now);
        attempts.delete(listener._id); // counted, even if the change of a probe has to be repeated
      }
      const changes = updates.flatMap(({ change }) => change ?? []);
      const put = await compareAndSetListeners({ listeners }, changes);
      for (const listenerId of put) calm.forget(listenerId); // one that was read meanwhile
      troubled.push(
        ...updates.flatMap(({ listener, troubled }) => (troubled && put.has(listener._id) ? troubled : [])),
      );
      ids = changes.flatMap(({ listener: { _id } }) => (put.has(_id) ? [] : [_id]));
    }
    return troubled;
  };
}
