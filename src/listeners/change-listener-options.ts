import { isDeepStrictEqual } from 'node:util';
import type { ListenerEvent } from '../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';
import { changedSubscription, type DeliveryOptions, type SubscriptionChange } from './subscription.js';

/** Undefined options stay unchanged. */
export type ChangeListenerOptions = {
  readonly listenerId: string;
  readonly options: Pick<SubscriptionChange, keyof DeliveryOptions>;
};

/**
 * Changes order and rate of a listener, which stays active or paused. Changes nothing if it has these options already.
 * Throws `ListenerNotFound` unless this listener is current.
 */
export function changeListenerOptions(
  { listenerId, options }: ChangeListenerOptions,
  listener: Listener,
): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  const { subscription: previous } = details;
  const subscription = changedSubscription(previous, options);
  if (isDeepStrictEqual(subscription, previous)) return [];
  const data = { ...details, subscription, previous, paused: state === 'paused', since: since.toString() };
  return [{ type: 'ListenerSubscriptionChanged', data }];
}
