import { isDeepStrictEqual } from 'node:util';
import type { TroubledHook } from '../delivery-queue.js';
import { type Attempts, afterAttempts, type HookHealth, healthy } from '../hook-health.js';
import { attemptsOf, type Made } from './attempts-of.js';
import type { Collections, TargetRow } from './collections.js';
import { type MarkedChange, putMarked } from './put-marked.js';
import { QuietSuccesses } from './quiet-successes.js';

/** Writes what attempts say of their hooks, and gives back turns. Returns the hooks that are troubled by them. */
export type RecordHealth = (made: readonly Made[], now: number) => Promise<readonly TroubledHook[]>;

type Known = Pick<TargetRow, '_id' | 'orgId' | 'hookUrl' | 'closed' | 'health' | 'turn' | 'mark'>;
type Judged = { readonly change?: MarkedChange | undefined; readonly troubled?: TroubledHook | undefined };

const fields = { orgId: 1, hookUrl: 1, closed: 1, health: 1, turn: 1, mark: 1 } as const;
/** So often what others have written in between is taken into account. After that, the next attempt will tell. */
const maxRounds = 10;

export function healthRecorder({ targets }: Pick<Collections, 'targets'>): RecordHealth {
  const quiet = new QuietSuccesses();

  return async (made, now) => {
    const attempts = attemptsOf(made);
    const leases = new Set(made.map(({ outcome }) => outcome.lease));
    const counted = new Map<string, HookHealth['recent']>();
    const troubled: TroubledHook[] = [];

    /** What there is to write of a hook; successes of one that is well are only counted. */
    function judge(hook: Known): Judged {
      const own = attempts.get(hook._id);
      const isOver = hook.turn !== undefined && leases.has(hook.turn.lease);
      const turnOver: MarkedChange | undefined = isOver
        ? { hook, unset: ['turn'], ...(!hook.closed && { wakeAt: new Date(now) }) }
        : undefined;
      if (!own || hook.closed) return { change: turnOver };
      const before = hook.health ?? healthy;
      if (own.failed === 0 && !saysMore(before, afterAttempts(before, own, now))) {
        if (!counted.has(hook._id)) quiet.add(hook._id, own.succeeded, now);
        return { change: turnOver };
      }
      const recent = counted.get(hook._id) ?? quiet.take(hook._id, now);
      counted.set(hook._id, recent);
      return judged(hook, { own, before: withRecent(before, recent), turnOver, now });
    }

    let ids = [...new Set(made.map(({ listenerId }) => listenerId))];
    for (let round = 1; ids.length > 0 && round <= maxRounds; round += 1) {
      const hooks = await targets
        .find({ _id: { $in: ids } })
        .project<Known>(fields)
        .toArray();
      const judgements = hooks.map(judge);
      const changes = judgements.flatMap(({ change }) => change ?? []);
      const put = await putMarked({ targets }, changes);
      troubled.push(
        ...judgements.flatMap(({ change, troubled }) =>
          troubled && change && put.has(change.hook._id) ? troubled : [],
        ),
      );
      ids = changes.flatMap(({ hook: { _id } }) => (put.has(_id) ? [] : [_id]));
    }
    return troubled;
  };
}

function judged(
  hook: Known,
  {
    own,
    before,
    turnOver,
    now,
  }: {
    readonly own: Attempts;
    readonly before: HookHealth;
    readonly turnOver: MarkedChange | undefined;
    readonly now: number;
  },
): Judged {
  const { _id: listenerId, orgId, hookUrl } = hook;
  const health = afterAttempts(before, own, now);
  const hasClosed = before.breaker !== undefined && health.breaker === undefined;
  const wakeAt = turnOver?.wakeAt ?? (hasClosed ? new Date(now) : undefined);
  const isKnown = orgId !== undefined && hookUrl !== undefined;
  return {
    change: { hook, set: { health }, unset: turnOver?.unset ?? [], ...(wakeAt && { wakeAt }) },
    troubled: isKnown && (own.failed > 0 || hasClosed) ? { listenerId, orgId, hookUrl, before, health } : undefined,
  };
}

/** Apart from how many attempts there were lately. */
function saysMore({ recent: _, ...before }: HookHealth, { recent: __, ...after }: HookHealth): boolean {
  return !isDeepStrictEqual(before, after);
}

const withRecent = (health: HookHealth, more: HookHealth['recent']): HookHealth =>
  more.length === 0 ? health : { ...health, recent: [...health.recent, ...more].sort(([one], [other]) => one - other) };
