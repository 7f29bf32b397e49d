import { isDeepStrictEqual } from 'node:util';
import type { TroubledHook } from '../../queue/leasing.js';
import { updateHealth } from '../../queue/policy/health-update.js';
import { type Attempts, type HookHealth, healthy, type Stretch } from '../../queue/policy/hook-health.js';
import type { HookRow } from '../collections.js';
import type { HookChange } from './compare-and-set-hooks.js';

/** A hook as it was read, with its version. */
export type ObservedHook = Pick<
  HookRow,
  '_id' | 'orgId' | 'hookUrl' | 'closed' | 'ordered' | 'health' | 'turn' | 'version'
>;

export type HealthObservations = {
  /** Undefined if there is none. */
  readonly attempts: Attempts | undefined;
  /** A delivery was given back without an attempt. */
  readonly released: boolean;
  /** Takes the earlier successes that have not been recorded. */
  readonly unrecorded: () => readonly Stretch[];
  /** The lease tokens of the recorded outcomes. */
  readonly leases: ReadonlySet<string>;
  readonly now: number;
};

export type HookHealthUpdate = {
  readonly hook: ObservedHook;
  readonly change: HookChange | undefined;
  readonly troubled: TroubledHook | undefined;
  /** The health is unaffected: the successes need no write. */
  readonly isUnaffected: boolean;
};

/** Computes the change of a hook after outcomes, and the report if it is troubled. */
export function updateHookHealth(
  hook: ObservedHook,
  { attempts, released, unrecorded, leases, now }: HealthObservations,
): HookHealthUpdate {
  const turn = releaseLock(hook, { leases, now });
  const stored = hook.health ?? healthy;
  const { before, health: unmerged } = updateHealth(stored, { attempts, released }, now);
  if (!attempts || hook.closed || (attempts.failed === 0 && differsOnlyInRecent(before, unmerged))) {
    const mayProbe = before !== stored && !hook.closed;
    const change = mayProbe ? { hook, ...turn, set: { health: before }, wakeAt: new Date(now) } : turn;
    return { hook, change, troubled: undefined, isUnaffected: !hook.closed };
  }
  const known = withRecent(before, unrecorded());
  const { health, hasClosed, isTroubled } = updateHealth(known, { attempts, released: false }, now);
  return {
    hook,
    change: { hook, ...turn, set: { health }, ...(hasClosed && { wakeAt: new Date(now) }) },
    troubled: isTroubled ? troubledHook(hook, { before: known, health }) : undefined,
    isUnaffected: false,
  };
}

/** Releases the lock of an ordered hook, so that its next delivery may be leased. */
function releaseLock(
  hook: ObservedHook,
  { leases, now }: Pick<HealthObservations, 'leases' | 'now'>,
): HookChange | undefined {
  const hadTurn = hook.turn !== undefined && leases.has(hook.turn.lease);
  if (hook.closed || !(hook.ordered || hadTurn)) return undefined;
  return { hook, ...(hadTurn && { unset: ['turn'] }), wakeAt: new Date(now) };
}

/** Nothing has changed but the count of recent attempts. */
function differsOnlyInRecent({ recent: _, ...before }: HookHealth, { recent: __, ...after }: HookHealth): boolean {
  return isDeepStrictEqual(before, after);
}

const withRecent = (health: HookHealth, more: readonly Stretch[]): HookHealth =>
  more.length === 0 ? health : { ...health, recent: [...health.recent, ...more].sort(([one], [other]) => one - other) };

function troubledHook(
  { _id: listenerId, orgId, hookUrl }: ObservedHook,
  healths: Pick<TroubledHook, 'before' | 'health'>,
): TroubledHook | undefined {
  return orgId === undefined || hookUrl === undefined ? undefined : { listenerId, orgId, hookUrl, ...healths };
}
