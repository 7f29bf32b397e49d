import { expect } from 'chai';
import type { ListenerEvent } from '../../src/events/listener-events.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { resumeListener, SecretsOverlap } from '../../src/listeners/commands/listener-commands.js';
import { ListenerNotFound, listenerDecider } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import {
  changeOptions,
  firstId,
  nextId,
  now,
  pause,
  paused,
  resume,
  resumed,
  rotateSecret,
  secretOf,
  secretRotated,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from './fixtures.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerDecider, history);

describe('pausing a listener', () => {
  it('begins a period without deliveries', () =>
    given(subscribed())
      .when(pause())
      .then([paused({ since: 0 })]));

  it('changes nothing if it is paused already', () =>
    given(subscribed(), paused({ since: 0, reason: 'failing' }))
      .when(pause())
      .then([]));

  it('refuses a listener that has ended, was replaced by a later one, or never existed', () => {
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(pause())
      .thenThrows(ListenerNotFound);
    given(subscribed({ listenerId: nextId }))
      .when(pause())
      .thenThrows(ListenerNotFound);
    given().when(pause()).thenThrows(ListenerNotFound);
  });
});

describe('resuming a listener', () => {
  it('ends the pause and resets the failing state', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(resume())
      .then([resumed({ since: 1, failing: { since: now.toISOString(), failures: 0, percent: 0 } })]));

  it('records whether held deliveries are delivered too', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(resume(firstId, true))
      .then([resumed({ since: 1, redeliverHeld: true })]));

  it('changes nothing if it is not paused', () => given(subscribed()).when(resume()).then([]));

  it('of an active one too, where its circuit breaker is to close, resets the failing state', () =>
    given(subscribed())
      .when((listener) => resumeListener({ listenerId: firstId, now, closeCircuit: true }, listener))
      .then([
        resumed({
          ...{ since: 0, circuitClosed: true },
          failing: { since: now.toISOString(), failures: 0, percent: 0 },
        }),
      ]));

  it('refuses a listener that has ended, was replaced by a later one, or never existed', () => {
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(resume())
      .thenThrows(ListenerNotFound);
    given(subscribed({ listenerId: nextId }), paused({ since: 0, listenerId: nextId }))
      .when(resume())
      .thenThrows(ListenerNotFound);
    given().when(resume()).thenThrows(ListenerNotFound);
  });
});

describe("rotating a listener's secret", () => {
  const hour = 3_600_000;
  const inAnHour = new Date(now.getTime() + hour).toISOString();

  it('changes to the next secret with the given key, within the same period', () =>
    given(subscribed())
      .when(rotateSecret({ keyGeneration: 'g2' }))
      .then([secretRotated({ secret: secretOf(2, { keyGeneration: 'g2' }), paused: false, since: 0 })]));

  it('keeps the previous secret for the given overlap', () =>
    given(subscribed({ secret: secretOf(3) }))
      .when(rotateSecret({ keyGeneration: 'g2', overlapMs: hour }))
      .then([
        secretRotated({
          paused: false,
          since: 0,
          secret: secretOf(4, {
            keyGeneration: 'g2',
            previous: { keyGeneration: 'g1', version: 3, until: inAnHour },
          }),
        }),
      ]));

  const overlapping = secretRotated({
    paused: false,
    since: 0,
    secret: secretOf(2, { previous: { keyGeneration: 'g1', version: 1, until: inAnHour } }),
  });

  it('ends a running overlap if the overlap is 0', () =>
    given(subscribed(), overlapping)
      .when(rotateSecret())
      .then([secretRotated({ secret: secretOf(3), paused: false, since: 0 })]));

  it('does not end a running overlap otherwise, because its end was announced', () => {
    given(subscribed(), overlapping)
      .when(rotateSecret({ overlapMs: hour }))
      .thenThrows(SecretsOverlap);
    given(subscribed(), overlapping)
      .when(rotateSecret({ overlapMs: hour, now: new Date(inAnHour) }))
      .then([
        secretRotated({
          paused: false,
          since: 0,
          secret: secretOf(3, {
            previous: { keyGeneration: 'g1', version: 2, until: new Date(now.getTime() + 2 * hour).toISOString() },
          }),
        }),
      ]);
  });

  it('keeps an overlap through other changes', () => {
    const { state } = given(subscribed(), overlapping);
    const events = pause()(state);
    expect(events[0]?.data.secret.previous).to.deep.equal({ keyGeneration: 'g1', version: 1, until: inAnHour });
  });

  it('changes nothing if the secret was replaced already', () =>
    given(subscribed(), overlapping)
      .when(rotateSecret({ replaces: 1 }))
      .then([]));

  it('refuses to replace a version that never existed', () =>
    given(subscribed(), overlapping)
      .when(rotateSecret({ replaces: 3 }))
      .thenThrows(InvalidRequest));

  it('replaces the given version', () =>
    given(subscribed())
      .when(rotateSecret({ replaces: 1 }))
      .then([secretRotated({ secret: secretOf(2), paused: false, since: 0 })]));

  it('leaves a paused listener paused', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(rotateSecret())
      .then([secretRotated({ secret: secretOf(2), paused: true, since: 1 })]));

  it('refuses a listener that has ended, was replaced by a later one, or never existed', () => {
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(rotateSecret())
      .thenThrows(ListenerNotFound);
    given(subscribed({ listenerId: nextId }))
      .when(rotateSecret())
      .thenThrows(ListenerNotFound);
    given().when(rotateSecret()).thenThrows(ListenerNotFound);
  });
});

describe('changing order and rate of a listener', () => {
  it('keeps the listener, active or paused', () => {
    given(subscribed())
      .when(changeOptions({ ordered: true, ratePerSecond: 5 }))
      .then([subscriptionChanged({ since: 0, ordered: true, ratePerSecond: 5 })]);
    given(subscribed(), paused({ since: 0 }))
      .when(changeOptions({ ordered: true }))
      .then([subscriptionChanged({ since: 1, paused: true, ordered: true })]);
  });

  it('keeps absent fields, and takes null for the service-wide rate', () =>
    given(subscribed({ ordered: true, ratePerSecond: 5 }))
      .when(changeOptions({ ratePerSecond: null }))
      .then([subscriptionChanged({ since: 0, from: { ordered: true, ratePerSecond: 5 }, ordered: true })]));

  it('changes nothing if the options are the same', () => {
    given(subscribed({ ratePerSecond: 5 }))
      .when(changeOptions({ ordered: false, ratePerSecond: 5 }))
      .then([]);
    given(subscribed()).when(changeOptions({})).then([]);
  });

  it('leaves the pause to a later resume', () =>
    given(subscribed(), paused({ since: 0 }), subscriptionChanged({ since: 1, paused: true, ordered: true }))
      .when(resume())
      .then([resumed({ since: 1, ordered: true })]));

  it('refuses a listener that has ended, was replaced by a later one, or never existed', () => {
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(changeOptions({ ordered: true }))
      .thenThrows(ListenerNotFound);
    given(subscribed({ listenerId: nextId }))
      .when(changeOptions({ ordered: true }))
      .thenThrows(ListenerNotFound);
    given()
      .when(changeOptions({ ordered: true }))
      .thenThrows(ListenerNotFound);
  });
});
