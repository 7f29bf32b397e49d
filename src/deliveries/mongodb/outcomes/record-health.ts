import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { TroubledHook } from '../../queue/delivery-queue.js';
import type { Stretch } from '../../queue/hook-health.js';
import type { Collections } from '../collections.js';
import type { ServerClock } from '../server-clock.js';
import { attemptsOf, type Made } from './attempts-of.js';
import { type JudgedHook, judgeHook } from './judge-hook.js';
import { putMarked } from './put-marked.js';
import { QuietSuccesses } from './quiet-successes.js';

/**
 * Writes what attempts say of their hooks, and gives back turns. Returns the hooks that are troubled by them. Where other
 * instances write the same hooks, it reads and writes again until `leasedUntil`, the server's time at which the last of the
 * attempts' leases ends, in milliseconds since 1970; then it throws `StoreUnavailable`.
 */
export type RecordHealth = (
  made: readonly Made[],
  times: { readonly now: number; readonly leasedUntil: number },
) => Promise<readonly TroubledHook[]>;

const fields = { orgId: 1, hookUrl: 1, closed: 1, ordered: 1, health: 1, turn: 1, mark: 1 } as const;
/** The first pause is about as long as a read and a write take; none is so long that others' outcomes wait noticeably. */
const backoff = { firstMs: 10, maxMs: 500 };

export function healthRecorder(
  { targets }: Pick<Collections, 'targets'>,
  clock: Pick<ServerClock, 'moment'>,
): RecordHealth {
  const quiet = new QuietSuccesses();

  /** Those who lost against the same write pause for different times, or they would meet again. */
  async function pauseAfter(losses: number, leasedUntil: number): Promise<void> {
    if ((await clock.moment()) >= leasedUntil) {
      throw new StoreUnavailable('MongoDB: others write the health of the same hooks', { retryAfterMs: 1_000 });
    }
    await pause(Math.random() * Math.min(backoff.firstMs * 2 ** losses, backoff.maxMs));
  }

  return async (made, { now, leasedUntil }) => {
    const attempts = new Map(attemptsOf(made));
    const leases = new Set(made.map(({ outcome }) => outcome.lease));
    const released = new Set(
      made.flatMap(({ outcome, listenerId }) => (outcome.kind === 'released' ? [listenerId] : [])),
    );
    const taken = new Map<string, readonly Stretch[]>();
    const troubled: TroubledHook[] = [];

    /** The successes so far, which are about to be written. */
    function unwrittenOf(listenerId: string): readonly Stretch[] {
      const stretches = taken.get(listenerId) ?? quiet.take(listenerId, now);
      taken.set(listenerId, stretches);
      return stretches;
    }

    let ids = [...new Set(made.map(({ listenerId }) => listenerId))];
    for (let losses = 0; ids.length > 0; losses += 1) {
      if (losses > 0) await pauseAfter(losses, leasedUntil);
      const hooks = targets.find({ _id: { $in: ids } }).project<JudgedHook>(fields);
      const judgements = (await hooks.toArray()).map((hook) => {
        const unwritten = () => unwrittenOf(hook._id);
        const evidence = { attempts: attempts.get(hook._id), released: released.has(hook._id) };
        return judgeHook(hook, { ...evidence, unwritten, leases, now });
      });
      for (const { hook, isQuiet } of judgements) {
        if (!isQuiet) continue;
        quiet.add(hook._id, attempts.get(hook._id)?.succeeded ?? 0, now);
        attempts.delete(hook._id); // they are counted, whatever becomes of the hook's turn
      }
      const changes = judgements.flatMap(({ change }) => change ?? []);
      const put = await putMarked({ targets }, changes);
      troubled.push(...judgements.flatMap(({ hook, troubled }) => (troubled && put.has(hook._id) ? troubled : [])));
      ids = changes.flatMap(({ hook: { _id } }) => (put.has(_id) ? [] : [_id]));
    }
    return troubled;
  };
}
