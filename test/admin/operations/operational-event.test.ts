import { expect } from 'chai';
import { operationalEventOf } from '../../../src/admin/operations/operational-event.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { operationalTypes, operationsOrganisation } from '../../../src/events/operational-events.js';
import { selectsEvent, selectsOperational } from '../../../src/flows/types/subscription-types.js';
import { erasureCodec } from '../../../src/stores/event-store/erasure-events.js';
import type { NewEvent, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { damageCodec } from '../../../src/views/damage-events.js';
import {
  details,
  failing,
  paused,
  resumed,
  secretRotated,
  subscribed,
  unsubscribed,
} from '../../listeners/fixtures.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const cause = { actor: 'test', correlationId: 'test' };
const recorded = (stream: string, event: NewEvent): RecordedEvent => ({
  ...event,
  stream,
  revision: 1n,
  position: 7n,
  created: now,
});
const eventOf = (event: ListenerEvent, actor = 'admin:ops') =>
  operationalEventOf(recorded('listener-1', listenerCodec.encode(event, { ...cause, actor }, now)));

describe('the operational event of a cause', () => {
  const failed = { since: now.toISOString(), failures: 12, percent: 50 };
  const causes: readonly (readonly [cause: ListenerEvent, type: string | undefined, more: object])[] = [
    [failing({ since: 0, failing: failed }), 'listener.failing', failed],
    [paused({ since: 0, reason: 'failing' }), 'listener.paused', { reason: 'failing' }],
    [resumed({ since: 0 }), 'listener.resumed', {}],
    [unsubscribed({ since: 0, reason: 'gone' }), 'listener.removed', { reason: 'gone' }],
    [unsubscribed({ since: 0, reason: 'operator' }), 'listener.removed', { reason: 'operator' }],
    [unsubscribed({ since: 0, reason: 'requested' }), undefined, {}],
    [unsubscribed({ since: 0, reason: 'erased' }), undefined, {}],
    [secretRotated({ since: 0, paused: false }), 'secret.rotated', { secretVersion: 1, previousSecretUntil: null }],
    [subscribed(), undefined, {}],
  ];
  for (const [event, type, more] of causes) {
    it(`is ${type ?? 'none'} for ${event.type} ${'reason' in event.data ? event.data.reason : ''}`, () => {
      const { orgId, listenerId } = details;
      const found = eventOf(event);
      expect(found?.type).to.equal(type);
      if (!found) return;
      expect(found).to.deep.include({ orgId });
      expect(found.data).to.deep.include({ orgId, listenerId, ...more });
      expect(found.data.hookUrl)
        .to.match(/^https:\/\/hooks\.example\.com/)
        .and.not.equal(details.hookUrl);
      operationalTypes[found.type].schema.parse(found.data);
    });
  }

  it('names the customer as the reason of what a session of the portal did', () => {
    for (const event of [paused({ since: 0, reason: 'operator' }), unsubscribed({ since: 0, reason: 'operator' })]) {
      const found = eventOf(event, 'portal:ada');
      expect(found?.data).to.include({ reason: 'customer' });
      if (found) operationalTypes[found.type].schema.parse(found.data);
    }
    expect(eventOf(paused({ since: 0, reason: 'failing' }), 'service')?.data).to.include({ reason: 'failing' });
  });

  it('is none for a listener that receives operational events, whose failures would cause the next ones', () => {
    expect(eventOf(paused({ since: 0, subscriptionType: 'listener.*' }))).to.equal(undefined);
    expect(eventOf(paused({ since: 0, orgId: operationsOrganisation }))).to.equal(undefined);
  });

  it('goes to operators only, where it concerns the service itself', () => {
    const damage = { view: 'listeners', setAsideAs: 'listeners-v1-3.damaged' };
    const event = damageCodec.encode({ type: 'ViewDamaged', data: damage }, cause, now);
    expect(operationalEventOf(recorded('service-views', event))).to.eql({
      type: 'view.damaged',
      orgId: undefined,
      data: damage,
    });
    const data = { organisation: '6f1c2f0e-6c0e-5f6a-8f0d-0d9c3b0a7e55', streams: 2, flowStreams: 1 };
    const erased = erasureCodec.encode({ type: 'OrganisationErased', data }, cause, now);
    expect(operationalEventOf(recorded('service-erasures', erased))).to.include({ type: 'organisation.erased' });
  });

  it('has a declared schema that its example matches', () => {
    for (const { schema, example } of Object.values(operationalTypes)) schema.parse(example);
  });
});

describe('selecting operational events', () => {
  const event = { type: 'listener.paused', isOperational: true } as const;

  it('is by type or prefix, never by the words for all events', () => {
    for (const selecting of ['listener.paused', 'listener.*']) expect(selectsEvent(selecting, event)).to.equal(true);
    for (const other of ['*', 'flows', 'listener.failing', 'flow.*'])
      expect(selectsEvent(other, event)).to.equal(false);
    expect(['listener.*', 'secret.rotated', '*', 'flows', 'order.*'].filter(selectsOperational)).to.eql([
      'listener.*',
      'secret.rotated',
    ]);
  });

  it('does not change for events of producers with the same type', () =>
    expect(selectsEvent('*', { type: 'listener.paused' })).to.equal(true));
});
