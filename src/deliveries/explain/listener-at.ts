import type { HistoryEntry } from '../../../projections/listener-history.js';
import type { Subscription } from '../../events/listener-events.js';
import type { FilterText } from '../../listeners/filters/filter.js';
import { sortable } from '../../views/projection.js';

/** Something that happened to a listener, when, and who did it. */
export type Moment = {
  /** ISO 8601. */
  at: string;
  by: string | null;
  reason: string | null;
};

/** A listener as it was when a flow event happened, and what became of it. */
export type ListenerAt = {
  state: 'not-yet' | 'active' | 'paused' | 'removed';
  /** Subscription type then; of a later listener, its first one. */
  subscriptionType: string | undefined;
  /** Filter at that time, as JSON; null: none. Of a later listener, its first. */
  filter: FilterText;
  subscribed: Moment | undefined;
  /** The last time before the flow event that it was paused; undefined where it was not paused then. */
  paused: Moment | undefined;
  /** Removal before the flow event or after it. */
  removed: Moment | undefined;
  /** Paused now. */
  pausedNow: Moment | undefined;
};

const momentOf = ({ at, actor, reason }: HistoryEntry): Moment => ({ at, by: actor, reason });

/** `history`: all that happened to one listener, in order. */
export function listenerAt(history: readonly HistoryEntry[], position: bigint): ListenerAt {
  const before = history.filter((entry) => entry.position <= sortable(position));
  const subscribed = history.find(({ type }) => type === 'ListenerSubscribed');
  const removed = history.find(({ after }) => after === null);
  const paused = pausedAfter(before);
  const pausedNow = removed ? undefined : pausedAfter(history);
  const state = before.some((entry) => entry === removed) ? 'removed' : paused ? 'paused' : 'active';
  return {
    state: before.length === 0 ? 'not-yet' : state,
    subscriptionType: subscriptionAfter(before.length === 0 ? history : before)?.subscriptionType,
    filter: (before.length === 0 ? subscribed?.after?.subscription : subscriptionAfter(before))?.filter ?? null,
    subscribed: subscribed && momentOf(subscribed),
    paused: paused && momentOf(paused),
    removed: removed && momentOf(removed),
    pausedNow: pausedNow && momentOf(pausedNow),
  };
}

/** Cause of the current pause. */
function pausedAfter(history: readonly HistoryEntry[]): HistoryEntry | undefined {
  const last = history.findLast(({ after }) => after === null || after.state !== undefined);
  return last?.after?.state === 'paused' ? last : undefined;
}

const subscriptionAfter = (history: readonly HistoryEntry[]): Subscription | undefined =>
  history.findLast(({ after }) => after?.subscription !== undefined)?.after?.subscription;
