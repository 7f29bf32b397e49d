import type { ListenerEvent } from '../../src/events/listener-events.js';
import { IntegrationTaskInactive, IntegrationTaskMissing } from '../../src/listeners/integration-task.js';
import { listenerDecider } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import {
  forgiven,
  nextId,
  paused,
  resumed,
  secretOf,
  secretRotated,
  subscribe,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from './fixtures.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerDecider, history);

const inactive = { state: 'inactive', orgId: null, name: 'default' } as const;
const missing = { state: 'missing' } as const;

describe('subscribing a listener', () => {
  it('registers a new listener with its first secret', () =>
    given()
      .when(subscribe({ listenerId: nextId, keyGeneration: 'g2' }))
      .then([subscribed({ listenerId: nextId, secret: secretOf(1, { keyGeneration: 'g2' }) })]));

  it('gives an unsubscribed listener a new listener ID', () =>
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(subscribe({ listenerId: nextId }))
      .then([subscribed({ listenerId: nextId })]));

  it('changes nothing when the same listener is already active', () =>
    given(subscribed({ subscriptionType: 'flow.*' }))
      .when(subscribe({ subscriptionType: 'flow.*' }))
      .then([]));

  it('changes nothing when the same filter is repeated', () =>
    given(subscribed({ filter: '{"data.a":1}' }))
      .when(subscribe({ filter: '{"data.a":1}' }))
      .then([]));

  it('changes the filter, and keeps the previous one in the history', () =>
    given(subscribed({ filter: '{"data.a":1}' }))
      .when(subscribe({ filter: '{"data.a":2}' }))
      .then([subscriptionChanged({ from: { filter: '{"data.a":1}' }, filter: '{"data.a":2}', since: 0 })]));

  it('changes and removes the transformation as the filter', () => {
    given(subscribed({ transform: 'data.a' }))
      .when(subscribe({ transform: 'data.a' }))
      .then([]);
    given(subscribed({ transform: 'data.a' }))
      .when(subscribe({ transform: 'data.b' }))
      .then([subscriptionChanged({ from: { transform: 'data.a' }, transform: 'data.b', since: 0 })]);
    given(subscribed({ transform: 'data.a' }))
      .when(subscribe())
      .then([subscriptionChanged({ from: { transform: 'data.a' }, since: 0 })]);
  });

  it('removes the filter when a subscribe has none: the request describes the whole listener', () =>
    given(subscribed({ filter: '{"data.a":1}' }))
      .when(subscribe({ filter: null }))
      .then([subscriptionChanged({ from: { filter: '{"data.a":1}' }, filter: null, since: 0 })]));

  it('changes nothing when another user repeats it: the first user stays the owner', () =>
    given(subscribed({ userId: 'user-1' }))
      .when(subscribe({ userId: 'user-2' }))
      .then([]));

  it('changes the subscription type and keeps listener ID, owner and secret', () =>
    given(subscribed({ subscriptionType: 'flow.*' }))
      .when(subscribe({ subscriptionType: 'order.paid', userId: 'user-2', keyGeneration: 'g2' }))
      .then([subscriptionChanged({ from: 'flow.*', subscriptionType: 'order.paid', since: 0 })]));

  it('ends, with a second change, the period that the first one began', () =>
    given(subscribed(), subscriptionChanged({ from: 'flow.*', subscriptionType: 'a', since: 0 }))
      .when(subscribe({ subscriptionType: 'b' }))
      .then([subscriptionChanged({ from: 'a', subscriptionType: 'b', since: 1 })]));

  it('keeps a rotated secret through a change, which ends the period begun before the rotation', () =>
    given(subscribed(), secretRotated({ secret: secretOf(2), paused: false, since: 0 }))
      .when(subscribe({ subscriptionType: 'b' }))
      .then([subscriptionChanged({ from: 'flow.*', subscriptionType: 'b', secret: secretOf(2), since: 0 })]));

  it('resumes a paused listener with the same ID', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(subscribe())
      .then([resumed({ since: 1 })]));

  it('resumes a paused listener before it changes the subscription type', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(subscribe({ subscriptionType: 'b' }))
      .then([
        resumed({ since: 1 }),
        subscriptionChanged({ from: 'flow.*', subscriptionType: 'b', failing: forgiven, since: 2 }),
      ]));

  it('resumes and changes a listener whose secret was rotated during the pause', () =>
    given(subscribed(), paused({ since: 0 }), secretRotated({ secret: secretOf(2), paused: true, since: 1 }))
      .when(subscribe({ subscriptionType: 'b' }))
      .then([
        resumed({ secret: secretOf(2), since: 1 }),
        subscriptionChanged({
          from: 'flow.*',
          subscriptionType: 'b',
          secret: secretOf(2),
          failing: forgiven,
          since: 3,
        }),
      ]));

  describe('with a description', () => {
    const description = 'Orders to the warehouse';

    it('registers a listener with it, and with none if there is none', () => {
      given()
        .when(subscribe({ description }))
        .then([subscribed({ listenerId: nextId, description })]);
      given()
        .when(subscribe({ description: null, signedWithKeyPair: false }))
        .then([subscribed({ listenerId: nextId, description: null, signedWithKeyPair: false })]);
    });

    it('keeps the ID and changes the subscription if a repeat has another, or removes it', () => {
      given(subscribed())
        .when(subscribe({ description }))
        .then([subscriptionChanged({ from: {}, description, since: 0 })]);
      given(subscribed({ description }))
        .when(subscribe({ description: null, signedWithKeyPair: false }))
        .then([subscriptionChanged({ from: { description }, description: null, signedWithKeyPair: false, since: 0 })]);
    });

    it('changes nothing if a repeat has none', () => given(subscribed({ description })).when(subscribe({})).then([]));
  });

  describe('with an order and a rate', () => {
    const defaults = { ordered: true, ratePerSecond: 30 };

    it('registers a listener with the requested ones', () =>
      given()
        .when(subscribe({ ordered: true, ratePerSecond: 5 }))
        .then([subscribed({ listenerId: nextId, ordered: true, ratePerSecond: 5 })]));

    it('uses the defaults of the organisation if none are requested', () => {
      given()
        .when(subscribe({ defaults }))
        .then([subscribed({ listenerId: nextId, ...defaults })]);
      given()
        .when(subscribe({ defaults, ordered: false, ratePerSecond: null }))
        .then([subscribed({ listenerId: nextId, ordered: false, ratePerSecond: null })]);
    });

    it('changes them with the same ID if a repeat requests others', () => {
      given(subscribed())
        .when(subscribe({ ordered: true }))
        .then([subscriptionChanged({ from: {}, ordered: true, since: 0 })]);
      given(subscribed({ ratePerSecond: 5 }))
        .when(subscribe({ ratePerSecond: null }))
        .then([subscriptionChanged({ from: { ratePerSecond: 5 }, ratePerSecond: null, since: 0 })]);
    });

    it('keeps them if a repeat requests none, also if the defaults have changed', () =>
      given(subscribed({ ordered: false, ratePerSecond: 5 }))
        .when(subscribe({ defaults }))
        .then([]));

    it('keeps them if another subscription type is requested', () =>
      given(subscribed(defaults))
        .when(subscribe({ subscriptionType: 'b' }))
        .then([subscriptionChanged({ from: { ...defaults }, subscriptionType: 'b', ...defaults, since: 0 })]));

    it('refuses a change of them without an active integration task', () =>
      given(subscribed())
        .when(subscribe({ ordered: true, task: inactive }))
        .thenThrows(IntegrationTaskInactive));
  });

  describe('without an active integration task', () => {
    it('refuses a new listener if no task is registered', () =>
      given()
        .when(subscribe({ task: missing }))
        .thenThrows(IntegrationTaskMissing));

    it('refuses a new listener if the task is inactive', () =>
      given()
        .when(subscribe({ task: inactive }))
        .thenThrows(IntegrationTaskInactive));

    it('refuses to register an unsubscribed listener again', () =>
      given(subscribed(), unsubscribed({ since: 0 }))
        .when(subscribe({ task: inactive }))
        .thenThrows(IntegrationTaskInactive));

    it('refuses a change of subscription type', () =>
      given(subscribed())
        .when(subscribe({ subscriptionType: 'b', task: inactive }))
        .thenThrows(IntegrationTaskInactive));

    it('still accepts an identical repeat', () =>
      given(subscribed())
        .when(subscribe({ task: missing }))
        .then([]));

    it('still resumes at an identical repeat', () =>
      given(subscribed(), paused({ since: 0 }))
        .when(subscribe({ task: inactive }))
        .then([resumed({ since: 1 })]));
  });
});
