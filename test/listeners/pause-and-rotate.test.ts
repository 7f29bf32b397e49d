import type { ListenerEvent } from '../../src/listeners/events.js';
import { ListenerNotFound, listenerLifecycle } from '../../src/listeners/listener.js';
import { given as givenHistory } from '../support/given.js';
import { pause, paused, resume, resumed, rotateSecret, secretRotated, subscribed, unsubscribed } from './stories.js';

const given = (...history: ListenerEvent[]) => givenHistory(listenerLifecycle, history);

describe('pausing a listener', () => {
  it('begins a period in which nothing is delivered', () =>
    given(subscribed())
      .when(pause())
      .then([paused({ since: 0 })]));

  it('changes nothing where it is paused or gone', () => {
    given(subscribed(), paused({ since: 0 }))
      .when(pause())
      .then([]);
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(pause())
      .then([]);
  });

  it('refuses what was never registered', () => given().when(pause()).thenThrows(ListenerNotFound));
});

describe('resuming a listener', () => {
  it('ends the pause', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(resume())
      .then([resumed({ since: 1 })]));

  it('changes nothing where it is not paused', () => given(subscribed()).when(resume()).then([]));

  it('refuses what was never registered', () => given().when(resume()).thenThrows(ListenerNotFound));
});

describe("rotating a listener's secret", () => {
  it('moves to the next secret under the given key, within the same period', () =>
    given(subscribed())
      .when(rotateSecret('g2'))
      .then([secretRotated({ keyGeneration: 'g2', secretVersion: 2, paused: false, since: 0 })]));

  it('leaves a paused one paused', () =>
    given(subscribed(), paused({ since: 0 }))
      .when(rotateSecret())
      .then([secretRotated({ secretVersion: 2, paused: true, since: 1 })]));

  it('refuses what is gone or never was', () => {
    given(subscribed(), unsubscribed({ since: 0 }))
      .when(rotateSecret())
      .thenThrows(ListenerNotFound);
    given().when(rotateSecret()).thenThrows(ListenerNotFound);
  });
});
