import type { Registration as Period } from '../../../../projections/listeners.js';
import type { ListenerEvent, Registration } from '../../../events/listener-events.js';
import type { Handled } from '../../../stores/event-store/handle.js';
import { type Listener, registrationOf } from '../listener.js';

// A registration as operators see it, in the CLI's JSON and the admin API.

/** One that the view holds; `since` when it has been as it is. */
export const listenerSummary = ({ state, pausedBy, since, ...registration }: Period) => ({
  ...facts(registration),
  ...{ state, pausedBy, since },
});

/** What a command has made of one, and the types of the events in `changed`. */
export const operatedSummary = ({ state, events }: Handled<Listener, ListenerEvent>) => ({
  ...facts(registrationOf(state)),
  state: state.state,
  changed: events.map(({ type }) => type),
});

const facts = (registration: Registration) => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, ordered, ratePerSecond } = registration;
  const { secretVersion, previousSecret, failing } = registration;
  return {
    ...{ listenerId, orgId, userId, hookUrl, subscriptionType, ordered, ratePerSecond },
    ...{ secretVersion, previousSecretUntil: previousSecret?.until ?? null, failing },
  };
};
