import type { ListenerEvent } from '../../src/events/listener-events.js';
import { IntegrationTaskInactive } from '../../src/listeners/integration-task.js';
import { listenerDecider } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import { details, importing, nextId, paused, subscribed, unsubscribed } from './fixtures.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerDecider, history);
const inactive = { state: 'inactive', orgId: null, name: 'default' } as const;

/** A listener that was imported, with its time of registration in the other system. */
const imported = (beganAt: string | null = null): ListenerEvent => ({
  type: 'ListenerSubscribed',
  data: { ...details, listenerId: nextId, imported: { beganAt } },
});

describe('importing a listener', () => {
  it('registers it with a first secret, and records the time at which the other system registered it', () =>
    given()
      .when(importing({ beganAt: '2024-05-06T07:08:09.000Z' }))
      .then([imported('2024-05-06T07:08:09.000Z')]));

  it('changes nothing when it is repeated', () => given(imported()).when(importing()).then([]));

  it('leaves a registered listener as it is, also with another subscription', () => {
    for (const history of [[subscribed()], [subscribed(), paused({ since: 0 })]]) {
      given(...history)
        .when(importing({ subscription: { subscriptionType: 'other', filter: null, transform: null } }))
        .then([]);
    }
  });

  it('does not bring back a listener that was removed', () =>
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(importing())
      .then([]));

  it('is refused while the integration task is inactive', () =>
    given()
      .when(importing({ task: inactive }))
      .thenThrows(IntegrationTaskInactive));
});
