import type { ListenerEvent } from '../../src/events/listener-events.js';
import { ListenerNotFound, listenerDecider } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import { firstId, nextId, paused, secretOf, secretRotated, subscribed, unsubscribe, unsubscribed } from './fixtures.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerDecider, history);

describe('unsubscribing a listener', () => {
  it('ends an active listener', () =>
    given(subscribed())
      .when(unsubscribe({ reason: 'requested' }))
      .then([unsubscribed({ reason: 'requested', since: 0 })]));

  it('ends a paused listener', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(unsubscribe())
      .then([unsubscribed({ since: 1 })]));

  it('ends the period that began before the secret was rotated', () =>
    given(subscribed(), secretRotated({ secret: secretOf(2), paused: false, since: 0 }))
      .when(unsubscribe())
      .then([unsubscribed({ secret: secretOf(2), since: 0 })]));

  it('records the reason: a listener that answered 410 is gone', () =>
    given(subscribed())
      .when(unsubscribe({ reason: 'gone' }))
      .then([unsubscribed({ reason: 'gone', since: 0 })]));

  it('succeeds without a change if it has ended already', () =>
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(unsubscribe())
      .then([]));

  it('refuses a listener that was never registered', () => given().when(unsubscribe()).thenThrows(ListenerNotFound));

  it('does not end a later listener if the command names an earlier one', () =>
    given(subscribed({ listenerId: firstId }), unsubscribed({ since: 0 }), subscribed({ listenerId: nextId }))
      .when(unsubscribe({ reason: 'gone', listenerId: firstId }))
      .then([]));
});
