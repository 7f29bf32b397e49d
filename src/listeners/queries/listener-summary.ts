import type { ListenerPeriod as Period } from '../../../projections/listeners.js';
import type { ListenerDetails, ListenerEvent } from '../../events/listener-events.js';
import type { Handled } from '../../stores/event-store/handle.js';
import { type Listener, ListenerNotFound } from '../listener.js';
import { subscriptionFacts } from '../subscription.js';

// Listeners in the CLI's JSON and the admin API.

/** Summary of a listener in the view; `since`: the start of its current period. */
export const listenerSummary = ({ state, pausedBy, since, ...details }: Period) => ({
  ...listenerFacts(details),
  state,
  pausedBy,
  since,
});

/** Summary of a listener after a command; `changed`: the types of the command's events. Throws `ListenerNotFound`. */
export function operatedSummary({ state, events }: Handled<Listener, ListenerEvent>) {
  if (state.state === 'none') throw new ListenerNotFound();
  return { ...listenerFacts(state.details), state: state.state, changed: events.map(({ type }) => type) };
}

export const listenerFacts = (details: ListenerDetails) => {
  const { listenerId, orgId, userId, hookUrl, subscription, secret, failing } = details;
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    ...subscriptionFacts(subscription),
    secretVersion: secret.version,
    previousSecretUntil: secret.previous?.until ?? null,
    failing,
    ...(secret.expiresAt !== undefined && { expiresAt: secret.expiresAt }),
  };
};
