import type { Registration as Period } from '../../../../projections/listeners.js';
import type { ListenerEvent, Registration } from '../../../events/listener-events.js';
import type { Handled } from '../../../stores/event-store/handle.js';
import { filterObject } from '../../filters/filter.js';
import { type Listener, ListenerNotFound } from '../listener.js';

// Registrations in the CLI's JSON and the admin API.

/** Summary of a registration in the view; `since`: the start of its current period. */
export const listenerSummary = ({ state, pausedBy, since, ...registration }: Period) => ({
  ...registrationFacts(registration),
  state,
  pausedBy,
  since,
});

/** Summary of a registration after a command; `changed`: the types of the command's events. Throws `ListenerNotFound`. */
export function operatedSummary({ state, events }: Handled<Listener, ListenerEvent>) {
  if (state.state === 'none') throw new ListenerNotFound();
  return { ...registrationFacts(state.registration), state: state.state, changed: events.map(({ type }) => type) };
}

export const registrationFacts = (registration: Registration) => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, filter, ordered, ratePerSecond } = registration;
  const { secretVersion, previousSecret, failing } = registration;
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscriptionType,
    filter: filterObject(filter),
    ordered,
    ratePerSecond,
    secretVersion,
    previousSecretUntil: previousSecret?.until ?? null,
    failing,
  };
};
