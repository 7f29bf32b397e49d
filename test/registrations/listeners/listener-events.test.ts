import { expect } from 'chai';
import { listenerCodec } from '../../../src/events/listener-events.js';
import type { JsonObject, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { firstId, registration } from './fixtures.js';

/** The common data of events of schema version 1. */
const asWritten: JsonObject = {
  listenerId: firstId,
  orgId: 'org-1',
  userId: 'user-1',
  hookUrl: 'https://hooks.example.com/1',
  subscriptionType: 'flow.*',
  keyGeneration: 'g1',
  secretVersion: 1,
};

const recorded = (type: string, data: JsonObject, schemaVersion = 1): RecordedEvent => ({
  id: firstId,
  stream: `listener-${firstId}`,
  revision: 1n,
  position: 1n,
  type,
  data: { ...asWritten, ...data },
  metadata: { schemaVersion, recordedAt: '2026-01-02T03:04:05.678Z', actor: 'user:1', $correlationId: 'c' },
  created: new Date(0),
});

describe('listener events of schema version 1', () => {
  const since = { since: '0' };
  const become = (type: string, data: JsonObject) => listenerCodec.decode(recorded(type, data))?.data;

  it('become registrations without filter, order, rate, overlap or failures', () => {
    expect(become('ListenerSubscribed', {})).to.deep.equal(registration);
    expect(become('ListenerResumed', since)).to.deep.equal({ ...registration, ...since });
    expect(become('ListenerSecretRotated', { paused: true, ...since })).to.deep.equal({
      ...registration,
      paused: true,
      ...since,
    });
    expect(become('ListenerUnsubscribed', { reason: 'gone', ...since })).to.deep.equal({
      ...registration,
      reason: 'gone',
      ...since,
    });
  });

  it('get the previous fields of a change', () =>
    expect(become('ListenerSubscriptionChanged', { previousSubscriptionType: 'order.paid', ...since })).to.deep.equal({
      ...registration,
      ...since,
      previous: { subscriptionType: 'order.paid', filter: null, ordered: false, ratePerSecond: null },
    }));

  it('get the pause reason operator, the only possible one in version 1', () =>
    expect(become('ListenerPaused', { reason: 'maintenance', ...since })).to.deep.equal({
      ...registration,
      reason: 'operator',
      ...since,
    }));

  it('are set aside if their data is not of version 1', () =>
    expect(() => become('ListenerSubscriptionChanged', since)).to.throw(/subscriptionType/));

  it('are distinguished from events of a later release', () =>
    expect(() => listenerCodec.decode(recorded('ListenerResumed', since, 4))).to.throw(/version 4 is not known/));
});

describe('listener events of schema version 2', () => {
  const since = { since: '0' };
  const options = { ordered: true, ratePerSecond: 5 };
  const version2 = { ...options, previousSecret: null, failing: null };
  const become = (type: string, data: JsonObject, version = 2) =>
    listenerCodec.decode(recorded(type, { ...version2, ...data }, version))?.data;

  it('become registrations without a filter', () => {
    expect(become('ListenerSubscribed', {})).to.deep.equal({ ...registration, ...options });
    expect(become('ListenerPaused', { reason: 'failing', ...since })).to.include({ filter: null, reason: 'failing' });
    const failing = { since: '2026-01-02T03:04:05.678Z', failures: 20, percent: 50 };
    expect(become('ListenerFailing', { failing, ...since }, 1)).to.deep.include({ filter: null, failing });
  });

  it('get the previous fields of a change', () => {
    const previous = { subscriptionType: 'order.paid', ordered: false, ratePerSecond: null };
    expect(become('ListenerSubscriptionChanged', { previous, ...since })).to.deep.include({
      filter: null,
      previous: { ...previous, filter: null },
    });
  });
});
