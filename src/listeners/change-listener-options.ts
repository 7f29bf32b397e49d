import type { ListenerEvent } from '../events/listener-events.js';
import { type Listener, requireRegistered } from './listener.js';
import type { DeliveryOptions } from './organisations/organisation-settings.js';

export type ChangeListenerOptions = { readonly listenerId: string } & {
  /** Undefined options stay unchanged. */
  readonly [Option in keyof DeliveryOptions]?: DeliveryOptions[Option] | undefined;
};

/**
 * Changes order and rate of a listener, which stays active or paused. Changes nothing if it has these options already.
 * Throws `ListenerNotFound` unless this listener is current.
 */
export function changeListenerOptions(
  { listenerId, ordered, ratePerSecond }: ChangeListenerOptions,
  listener: Listener,
): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  const previous = { ordered: details.ordered, ratePerSecond: details.ratePerSecond };
  const next = {
    ordered: ordered ?? previous.ordered,
    ratePerSecond: ratePerSecond === undefined ? previous.ratePerSecond : ratePerSecond,
  };
  if (next.ordered === previous.ordered && next.ratePerSecond === previous.ratePerSecond) return [];
  const data = { ...details, ...next, previous, paused: state === 'paused', since: since.toString() };
  return [{ type: 'ListenerOptionsChanged', data }];
}
