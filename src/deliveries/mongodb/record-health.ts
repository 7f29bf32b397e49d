import type { TroubledHook } from '../delivery-queue.js';
import type { Stretch } from '../hook-health.js';
import { attemptsOf, type Made } from './attempts-of.js';
import type { Collections } from './collections.js';
import { type JudgedHook, judgeHook } from './judge-hook.js';
import { putMarked } from './put-marked.js';
import { QuietSuccesses } from './quiet-successes.js';

/** Writes what attempts say of their hooks, and gives back turns. Returns the hooks that are troubled by them. */
export type RecordHealth = (made: readonly Made[], now: number) => Promise<readonly TroubledHook[]>;

const fields = { orgId: 1, hookUrl: 1, closed: 1, ordered: 1, health: 1, turn: 1, mark: 1 } as const;
/** So often what others have written in between is taken into account. After that, the next attempt will tell. */
const maxRounds = 10;

export function healthRecorder({ targets }: Pick<Collections, 'targets'>): RecordHealth {
  const quiet = new QuietSuccesses();

  return async (made, now) => {
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
    for (let round = 1; ids.length > 0 && round <= maxRounds; round += 1) {
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
