import type { ListenerEvent } from '../../../src/events/listener-events.js';
import { ListenerNotFound, listenerLifecycle } from '../../../src/registrations/listeners/listener.js';
import { given as givenHistory } from '../../support/given.js';
import { firstId, nextId, paused, secretRotated, subscribed, unsubscribe, unsubscribed } from './stories.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerLifecycle, history);

describe('unsubscribing a listener', () => {
  it('ends an active registration', () =>
    given(subscribed())
      .when(unsubscribe({ reason: 'requested' }))
      .then([unsubscribed({ reason: 'requested', since: 0 })]));

  it('ends a paused one', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(unsubscribe())
      .then([unsubscribed({ since: 1 })]));

  it('ends the period that began before the secret was rotated', () =>
    given(subscribed(), secretRotated({ secretVersion: 2, paused: false, since: 0 }))
      .when(unsubscribe())
      .then([unsubscribed({ secretVersion: 2, since: 0 })]));

  it('says why: a hook that answered 410 is gone', () =>
    given(subscribed())
      .when(unsubscribe({ reason: 'gone' }))
      .then([unsubscribed({ reason: 'gone', since: 0 })]));

  it('succeeds again, changing nothing, where it is already gone', () =>
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(unsubscribe())
      .then([]));

  it('refuses what was never registered', () => given().when(unsubscribe()).thenThrows(ListenerNotFound));

  it('leaves a successor alone when it is about an earlier registration', () =>
    given(subscribed({ listenerId: firstId }), unsubscribed({ since: 0 }), subscribed({ listenerId: nextId }))
      .when(unsubscribe({ reason: 'gone', listenerId: firstId }))
      .then([]));
});
