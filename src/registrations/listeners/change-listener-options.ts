import type { ListenerEvent } from '../../events/listener-events.js';
import type { DeliveryOptions } from '../organisations/organisation-settings.js';
import { type Listener, requireRegistered } from './listener.js';

export type ChangeListenerOptions = { readonly listenerId: string } & {
  /** Undefined options stay unchanged. */
  readonly [Option in keyof DeliveryOptions]?: DeliveryOptions[Option] | undefined;
};

/**
 * Changes order and rate of a registration, which stays active or paused. Changes nothing if it has these options already.
 * Throws `ListenerNotFound` unless this registration is current.
 */
export function changeListenerOptions(
  { listenerId, ordered, ratePerSecond }: ChangeListenerOptions,
  listener: Listener,
): ListenerEvent[] {
  const { state, registration, since } = requireRegistered(listener, listenerId);
  const previous = { ordered: registration.ordered, ratePerSecond: registration.ratePerSecond };
  const next = {
    ordered: ordered ?? previous.ordered,
    ratePerSecond: ratePerSecond === undefined ? previous.ratePerSecond : ratePerSecond,
  };
  if (next.ordered === previous.ordered && next.ratePerSecond === previous.ratePerSecond) return [];
  const data = { ...registration, ...next, previous, paused: state === 'paused', since: since.toString() };
  return [{ type: 'ListenerOptionsChanged', data }];
}
