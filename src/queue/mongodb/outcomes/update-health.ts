import { isDeepStrictEqual } from 'node:util';
import type { TroubledListener } from '../../leasing.js';
import { updateHealth } from '../../policy/listener-attempts.js';
import { type Attempts, healthy, type ListenerHealth, type Stretch } from '../../policy/listener-health.js';
import type { ListenerRow } from '../collections.js';
import type { RowChange } from './compare-and-set-listeners.js';

/** A listener as it was read, with its version. */
export type ObservedListener = Pick<ListenerRow, '_id' | 'orgId' | 'hookUrl' | 'closed' | 'health' | 'version'>;

export type HealthObservations = {
  /** Undefined if there is none. */
  attempts: Attempts | undefined;
  /** A delivery was released without an attempt. */
  released: boolean;
  /** Takes the earlier successes that have not been recorded. */
  unrecorded: () => readonly Stretch[];
  now: number;
};

export type ListenerHealthUpdate = {
  listener: ObservedListener;
  change: RowChange | undefined;
  troubled: TroubledListener | undefined;
  /** The health is unaffected: the successes need no write. */
  isUnaffected: boolean;
};

/** Computes the change of a listener after outcomes, and the report if it is troubled. */
export function updateListenerHealth(
  listener: ObservedListener,
  { attempts, released, unrecorded, now }: HealthObservations,
): ListenerHealthUpdate {
  const stored = listener.health ?? healthy;
  const { before, health: unmerged } = updateHealth(stored, { attempts, released }, now);
  if (!attempts || listener.closed || (attempts.failed === 0 && differsOnlyInRecent(before, unmerged))) {
    const mayProbe = before !== stored && !listener.closed;
    const change = mayProbe ? { listener, set: { health: before }, wakeAt: new Date(now) } : undefined;
    return { listener, change, troubled: undefined, isUnaffected: !listener.closed };
  }
  const known = withRecent(before, unrecorded());
  const { health, hasClosed, isTroubled } = updateHealth(known, { attempts, released: false }, now);
  return {
    listener,
    change: { listener, set: { health }, ...(hasClosed && { wakeAt: new Date(now) }) },
    troubled: isTroubled ? troubledListener(listener, { before: known, health }) : undefined,
    isUnaffected: false,
  };
}

/** Nothing has changed but the count of recent attempts. */
function differsOnlyInRecent(
  { recent: _, ...before }: ListenerHealth,
  { recent: __, ...after }: ListenerHealth,
): boolean {
  return isDeepStrictEqual(before, after);
}

const withRecent = (health: ListenerHealth, more: readonly Stretch[]): ListenerHealth =>
  more.length === 0 ? health : { ...health, recent: [...health.recent, ...more].sort(([one], [other]) => one - other) };

function troubledListener(
  { _id: listenerId, orgId, hookUrl }: ObservedListener,
  healths: Pick<TroubledListener, 'before' | 'health'>,
): TroubledListener | undefined {
  return orgId === undefined || hookUrl === undefined ? undefined : { listenerId, orgId, hookUrl, ...healths };
}
