import {
  beginForwarding,
  endForwarding,
  extendForwarding,
  type Forwarding,
  ForwardingOver,
  forwardingDecider,
} from '../../../src/admin/forwarding/forwarding.js';
import type { ForwardingEvent } from '../../../src/events/forwarding-events.js';
import { given } from '../../support/given.js';

const at = (time: string) => new Date(`2026-01-02T${time}.000Z`);
const asked = {
  forwardingId: '9b6f1f2e-0d7c-4d0b-9b1e-3a5c2f7d8e11',
  orgId: 'acme',
  subscriptionType: 'order.*',
  from: '7',
};
const event = (type: ForwardingEvent['type'], until: string): ForwardingEvent => ({
  type,
  data: { ...asked, until: at(until).toISOString() },
});
const began = event('ForwardingBegan', '03:10:00');

const story = (...history: ForwardingEvent[]) => given(forwardingDecider, history);
const extend = (time: string) => (forwarding: Forwarding) => extendForwarding({ now: at(time) }, forwarding);
const end = (time: string) => (forwarding: Forwarding) => endForwarding({ now: at(time) }, forwarding);

describe('a forwarding', () => {
  it('begins for ten minutes', () =>
    story()
      .when((forwarding) => beginForwarding({ ...asked, now: at('03:00:00') }, forwarding))
      .then([began]));

  it('is extended once half of its time is over, so that the history stays short', () => {
    story(began).when(extend('03:04:59')).then([]);
    story(began)
      .when(extend('03:05:00'))
      .then([event('ForwardingExtended', '03:15:00')]);
  });

  it('ends by itself where its command was killed: it cannot be extended then', () => {
    story(began).when(extend('03:10:00')).thenThrows(ForwardingOver);
    story(began).when(end('03:10:00')).then([]);
  });

  it('ends with its command, once', () => {
    const ended = event('ForwardingEnded', '03:01:00');
    story(began).when(end('03:01:00')).then([ended]);
    story(began, ended).when(end('03:02:00')).then([]);
    story(began, ended).when(extend('03:00:30')).thenThrows(ForwardingOver);
  });

  it('that never began cannot be extended, and has no end', () => {
    story().when(extend('03:00:00')).thenThrows(ForwardingOver);
    story().when(end('03:00:00')).then([]);
  });
});
