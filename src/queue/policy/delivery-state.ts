import type { DeliveryState, NewDelivery } from '../delivery.js';
import type { Outcome } from '../leasing.js';

export const isFinal = (state: DeliveryState): boolean => state !== 'waiting' && state !== 'held';

/** The flow event may be from before its listener was paused, or after it was resumed. */
export function initialState(
  { held }: Pick<NewDelivery, 'held'>,
  listener: { closed: boolean; paused: boolean; replayCancelled: boolean },
): 'waiting' | 'held' | 'cancelled' {
  if (listener.closed || listener.replayCancelled) return 'cancelled';
  return held || listener.paused ? 'held' : 'waiting';
}

export type LeasedState = {
  /** During the attempt, a delivery may have been cancelled, or held. */
  state: DeliveryState;
  redeliverAfterLease: boolean;
};

export type StateAfter = {
  state: DeliveryState;
  /** Due time on the clock of `now` and the outcome; undefined unless it waits. */
  dueAt: number | undefined;
};

/**
 * A success counts even if the delivery was cancelled during the attempt; no other outcome changes a final state. A
 * requested redelivery is due at once.
 */
export function stateAfter({ state, redeliverAfterLease }: LeasedState, outcome: Outcome, now: number): StateAfter {
  if (redeliverAfterLease && !isFinal(state)) return { state, dueAt: state === 'waiting' ? now : undefined };
  if (outcome.kind === 'succeeded') return { state: 'succeeded', dueAt: undefined };
  if (isFinal(state)) return { state, dueAt: undefined };
  if (outcome.kind === 'exhausted') return { state: 'exhausted', dueAt: undefined };
  if (state === 'held') return { state, dueAt: undefined };
  return { state, dueAt: outcome.kind === 'failed' ? outcome.retryAt : now };
}
