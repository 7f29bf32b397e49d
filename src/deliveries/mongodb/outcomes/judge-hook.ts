import { isDeepStrictEqual } from 'node:util';
import type { TroubledHook } from '../../queue/delivery-queue.js';
import {
  type Attempts,
  afterAttempts,
  afterRelease,
  type HookHealth,
  healthy,
  type Stretch,
} from '../../queue/hook-health.js';
import type { TargetRow } from '../collections.js';
import type { MarkedChange } from './put-marked.js';

/** A hook as it was read. */
export type JudgedHook = Pick<
  TargetRow,
  '_id' | 'orgId' | 'hookUrl' | 'closed' | 'ordered' | 'health' | 'turn' | 'mark'
>;

export type Evidence = {
  /** Undefined where there is none. */
  readonly attempts: Attempts | undefined;
  /** One was given back unmade. */
  readonly released: boolean;
  /** Successes that have not been written down. */
  readonly unwritten: () => readonly Stretch[];
  /** Those that what was recorded was under. */
  readonly leases: ReadonlySet<string>;
  readonly now: number;
};

export type Judgement = {
  readonly hook: JudgedHook;
  readonly change: MarkedChange | undefined;
  readonly troubled: TroubledHook | undefined;
  /** It goes on as it was: its successes need no write. */
  readonly isQuiet: boolean;
};

/** What there is to write of a hook after attempts, and to tell of it. */
export function judgeHook(hook: JudgedHook, { attempts, released, unwritten, leases, now }: Evidence): Judgement {
  const turn = turnOver(hook, { leases, now });
  const stored = hook.health ?? healthy;
  const before = released ? afterRelease(stored, now) : stored;
  if (!attempts || hook.closed || goesOn(before, attempts, now)) {
    const mayProbe = before !== stored && !hook.closed;
    const change = mayProbe ? { hook, ...turn, set: { health: before }, wakeAt: new Date(now) } : turn;
    return { hook, change, troubled: undefined, isQuiet: !hook.closed };
  }
  const known = withRecent(before, unwritten());
  const health = afterAttempts(known, attempts, now);
  const hasClosed = known.breaker !== undefined && health.breaker === undefined;
  return {
    hook,
    change: { hook, ...turn, set: { health }, ...(hasClosed && { wakeAt: new Date(now) }) },
    troubled: attempts.failed > 0 || hasClosed ? troubledHook(hook, { before: known, health }) : undefined,
    isQuiet: false,
  };
}

/** Who waits behind what was under way gets its turn. */
function turnOver(hook: JudgedHook, { leases, now }: Pick<Evidence, 'leases' | 'now'>): MarkedChange | undefined {
  const hadTurn = hook.turn !== undefined && leases.has(hook.turn.lease);
  if (hook.closed || !(hook.ordered || hadTurn)) return undefined;
  return { hook, ...(hadTurn && { unset: ['turn'] }), wakeAt: new Date(now) };
}

/** There is nothing new to say of it, apart from how many attempts there were lately. */
function goesOn(before: HookHealth, attempts: Attempts, now: number): boolean {
  if (attempts.failed > 0) return false;
  const { recent: _, ...was } = before;
  const { recent: __, ...is } = afterAttempts(before, attempts, now);
  return isDeepStrictEqual(was, is);
}

const withRecent = (health: HookHealth, more: readonly Stretch[]): HookHealth =>
  more.length === 0 ? health : { ...health, recent: [...health.recent, ...more].sort(([one], [other]) => one - other) };

function troubledHook(
  { _id: listenerId, orgId, hookUrl }: JudgedHook,
  healths: Pick<TroubledHook, 'before' | 'health'>,
): TroubledHook | undefined {
  return orgId === undefined || hookUrl === undefined ? undefined : { listenerId, orgId, hookUrl, ...healths };
}
