import { expect } from 'chai';
import { bodyOf, firstOrganisationOf, readFlowEvent } from '../../src/flows/flow-event.js';
import { EventUndecodable, StreamNotFound } from '../../src/stores/event-store/errors.js';
import type { EventStore, JsonObject, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const eventId = '33333333-3333-4333-8333-333333333333';

const recorded = (data: unknown, overrides: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: eventId,
  stream: 'flow-orders-17',
  revision: 0n,
  position: 0n,
  type: 'order.paid',
  data,
  metadata: {},
  created: new Date('2026-01-02T03:04:05.678Z'),
  ...overrides,
});

describe('reading a flow event', () => {
  it('returns the published event', () =>
    expect(
      readFlowEvent(
        recorded({ orgId: 'org-1', id: 'e1', flowId: 'f1', occurredAt: '2026-01-01T00:00:00+01:00', data: [1] }),
      ),
    ).to.deep.equal({
      id: 'e1',
      eventId,
      orgId: 'org-1',
      flowId: 'f1',
      type: 'order.paid',
      timestamp: '2026-01-01T00:00:00+01:00',
      recordedAt: '2026-01-02T03:04:05.678Z',
      data: [1],
    }));

  it('replaces missing fields of a producer that appends by itself', () =>
    expect(readFlowEvent(recorded({ orgId: 'org-1', amount: 5 }))).to.deep.equal({
      id: eventId,
      eventId,
      orgId: 'org-1',
      flowId: 'orders-17',
      type: 'order.paid',
      timestamp: '2026-01-02T03:04:05.678Z',
      recordedAt: '2026-01-02T03:04:05.678Z',
      data: { amount: 5 },
    }));

  it('reads the time from the metadata, which a copy of the store preserves', () => {
    const metadata = { recordedAt: '2025-12-31T00:00:00.000Z' };
    expect(readFlowEvent(recorded({ orgId: 'org-1' }, { metadata }))).to.include({
      timestamp: metadata.recordedAt,
      recordedAt: metadata.recordedAt,
    });
  });

  const payloads: [string, JsonObject, unknown][] = [
    ['the value of data, if it is the only field', { data: null }, null],
    ['all fields, if data is not the only one', { data: 1, amount: 5 }, { data: 1, amount: 5 }],
    ['an empty object, if no field remains', { id: 'e1', flowId: 'f1' }, {}],
    ['an invalid id', { id: 17 }, { id: 17 }],
    ['an empty id', { id: '' }, { id: '' }],
    ['an invalid time', { occurredAt: 'yesterday' }, { occurredAt: 'yesterday' }],
    ['fields with names of built-in properties', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ];
  for (const [what, data, expected] of payloads) {
    it(`delivers ${what}`, () => {
      const event = readFlowEvent(recorded({ orgId: 'org-1', ...data }));
      expect(JSON.stringify(event.data)).to.equal(JSON.stringify(expected));
    });
  }

  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const unreadable: [string, unknown][] = [
    ['has no orgId', { amount: 5 }],
    ['has an empty orgId', { orgId: '' }],
    ['has an orgId that is not a string', { orgId: 17 }],
    ['is a list', ['org-1']],
    ['is not an object', 'org-1'],
    ['is missing', undefined],
    ['is bytes', Buffer.from('{"orgId": "org-1"}')],
    ['is nested too deep to be delivered', { orgId: 'org-1', data: nested(101) }],
  ];
  for (const [problem, data] of unreadable) {
    it(`refuses data that ${problem}`, () => expect(() => readFlowEvent(recorded(data))).to.throw(EventUndecodable));
  }
});

describe('a flow event in the reserved organisation', () => {
  const orgId = 'flow-hooks.operations';

  it('is set aside where a producer has appended it', () =>
    expect(() => readFlowEvent(recorded({ orgId, data: {} }))).to.throw(EventUndecodable, /reserved/));

  it('is read where the service has published it', () =>
    expect(readFlowEvent(recorded({ orgId, data: {} }, { metadata: { operational: true } }))).to.include({ orgId }));
});

describe('a delivered body', () => {
  it('has these fields in this order, and no internal ones', () => {
    const event = readFlowEvent(recorded({ orgId: 'org-1', id: 'e1', flowId: 'f1', data: { name: 'é' } }));
    expect(bodyOf(event)).to.equal(
      '{"id":"e1","type":"order.paid","timestamp":"2026-01-02T03:04:05.678Z","orgId":"org-1","flowId":"f1","data":{"name":"é"}}',
    );
  });
});

describe("a flow stream's organisation", () => {
  let store: EventStore;
  before(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });
  after(() => store.close());

  const append = (stream: string, data: JsonObject) =>
    store.append(stream, [{ id: crypto.randomUUID(), type: 'order.paid', data, metadata: {} }]);

  it('is the one of its first event', async () => {
    await append('flow-1', { orgId: 'org-1' });
    await append('flow-1', { orgId: 'org-2' });
    expect(await firstOrganisationOf(store, 'flow-1')).to.equal('org-1');
  });

  it('is undefined if the first event has none', async () => {
    await append('flow-2', { amount: 5 });
    await append('flow-2', { orgId: 'org-2' });
    expect(await firstOrganisationOf(store, 'flow-2')).to.equal(undefined);
  });

  it('throws StreamNotFound if the stream does not exist', async () =>
    expect(await rejection(firstOrganisationOf(store, 'flow-3'))).to.be.instanceOf(StreamNotFound));
});
