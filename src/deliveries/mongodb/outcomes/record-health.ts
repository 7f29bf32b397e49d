import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { TroubledHook } from '../../queue/leasing.js';
import type { Stretch } from '../../queue/policy/hook-health.js';
import type { Collections } from '../collections.js';
import type { ServerClock } from '../server-clock.js';
import { attemptsOf, type HookOutcome } from './attempts-of.js';
import { compareAndSetHooks } from './compare-and-set-hooks.js';
import { UnrecordedSuccesses } from './unrecorded-successes.js';
import { type ObservedHook, updateHookHealth } from './update-health.js';

/**
 * Writes the health of hooks after outcomes, and releases the locks of ordered hooks. Returns the troubled hooks. If
 * other instances write the same hooks, it reads and writes again until `leasedUntil`, the latest expiry of the
 * outcomes' leases in server time (milliseconds since 1970); then it throws `StoreUnavailable`.
 */
export type RecordHealth = (
  hookOutcomes: readonly HookOutcome[],
  times: { readonly now: number; readonly leasedUntil: number },
) => Promise<readonly TroubledHook[]>;

const fields = { orgId: 1, hookUrl: 1, closed: 1, ordered: 1, health: 1, turn: 1, version: 1 } as const;
/**
 * Backoff with full jitter. The first pause is about as long as a read and a write; the longest does not delay others
 * noticeably.
 */
const backoff = { firstMs: 10, maxMs: 500 };

export function healthRecorder({ hooks }: Pick<Collections, 'hooks'>, clock: Pick<ServerClock, 'now'>): RecordHealth {
  const unrecorded = new UnrecordedSuccesses();

  /** Pauses for a random time: instances that lost against the same write would otherwise collide again. */
  async function pauseAfter(losses: number, leasedUntil: number): Promise<void> {
    if ((await clock.now()) >= leasedUntil) {
      throw new StoreUnavailable('MongoDB: others write the health of the same hooks', { retryAfterMs: 1_000 });
    }
    await pause(Math.random() * Math.min(backoff.firstMs * 2 ** losses, backoff.maxMs));
  }

  return async (hookOutcomes, { now, leasedUntil }) => {
    const attempts = new Map(attemptsOf(hookOutcomes));
    const leases = new Set(hookOutcomes.map(({ outcome }) => outcome.lease));
    const released = new Set(
      hookOutcomes.flatMap(({ outcome, listenerId }) => (outcome.kind === 'released' ? [listenerId] : [])),
    );
    const taken = new Map<string, readonly Stretch[]>();
    const troubled: TroubledHook[] = [];

    /** Takes the hook's unrecorded successes, once for all rounds. */
    function unrecordedOf(listenerId: string): readonly Stretch[] {
      const stretches = taken.get(listenerId) ?? unrecorded.take(listenerId, now);
      taken.set(listenerId, stretches);
      return stretches;
    }

    let ids = [...new Set(hookOutcomes.map(({ listenerId }) => listenerId))];
    for (let losses = 0; ids.length > 0; losses += 1) {
      if (losses > 0) await pauseAfter(losses, leasedUntil);
      const observed = hooks.find({ _id: { $in: ids } }).project<ObservedHook>(fields);
      const updates = (await observed.toArray()).map((hook) => {
        const takeUnrecorded = () => unrecordedOf(hook._id);
        const outcome = { attempts: attempts.get(hook._id), released: released.has(hook._id) };
        return updateHookHealth(hook, { ...outcome, unrecorded: takeUnrecorded, leases, now });
      });
      for (const { hook, isUnaffected } of updates) {
        if (!isUnaffected) continue;
        unrecorded.add(hook._id, attempts.get(hook._id)?.succeeded ?? 0, now);
        attempts.delete(hook._id); // counted, even if the change of the hook's lock has to be repeated
      }
      const changes = updates.flatMap(({ change }) => change ?? []);
      const put = await compareAndSetHooks({ hooks }, changes);
      troubled.push(...updates.flatMap(({ hook, troubled }) => (troubled && put.has(hook._id) ? troubled : [])));
      ids = changes.flatMap(({ hook: { _id } }) => (put.has(_id) ? [] : [_id]));
    }
    return troubled;
  };
}
