import { expect } from 'chai';
import { bodyOf, firstToNameOrganisation, readFlowEvent } from '../../src/flows/flow-event.js';
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
    [
      'the value of data, beside fields that are null',
      { id: null, flowId: null, occurredAt: null, data: { a: 1 } },
      { a: 1 },
    ],
    ['null, if data is null', { id: null, data: null }, null],
    ['fields with names of built-in properties', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ];
  for (const [what, data, expected] of payloads) {
    it(`delivers ${what}`, () => {
      const event = readFlowEvent(recorded({ orgId: 'org-1', ...data }));
      expect(JSON.stringify(event.data)).to.equal(JSON.stringify(expected));
    });
  }

  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const noOrgId = 'the orgId in its data is not a text of 1 to 256 printable characters';
  // The texts are those that the client of EventStoreDB could not parse.
  const unreadable: [string, unknown, string][] = [
    ['has no orgId', { amount: 5 }, 'its data has no orgId'],
    ['has null as orgId', { orgId: null }, 'its data has no orgId'],
    ['has an empty orgId', { orgId: '' }, noOrgId],
    ['has an orgId that is not a string', { orgId: 17 }, noOrgId],
    [
      'has a time that is none',
      { orgId: 'org-1', occurredAt: 'yesterday' },
      'the occurredAt in its data is not a time: ISO 8601 with an offset',
    ],
    [
      'has a time that is a number',
      { orgId: 'org-1', occurredAt: 1_769_860_800 },
      'the occurredAt in its data is not a time: ISO 8601 with an offset',
    ],
    ['is a list', ['org-1'], 'its data is not a JSON object'],
    ['is not an object', 'org-1', 'its data is not a JSON object'],
    ['is null', null, 'its data is not a JSON object'],
    ['has another content type', undefined, 'its content type is not application/json'],
    ['is bytes', Buffer.from('{"orgId": "org-1"}'), 'its data has no orgId'],
    ['is empty', '', 'its data is empty'],
    [
      'begins with a byte order mark',
      '\uFEFF{"orgId":"org-1"}',
      'its data begins with a byte order mark, which JSON must not',
    ],
    ['holds NaN', '{"orgId":"org-1","total": NaN}', 'its data is not valid JSON: JSON has no NaN'],
    ['holds Infinity', '{"orgId":"org-1","data":[1,-Infinity]}', 'its data is not valid JSON: JSON has no -Infinity'],
    ['is truncated', '{"orgId":"org-1"', 'its data is not valid JSON'],
    [
      'was serialised twice',
      '{"orgId":"org-1"}',
      'its data is a JSON string, probably of an object that was serialised twice',
    ],
    [
      'is nested too deep to be delivered',
      { orgId: 'org-1', data: nested(101) },
      'its data is nested more than 100 levels deep',
    ],
  ];
  for (const [problem, data, reason] of unreadable) {
    it(`refuses data that ${problem}, with the reason`, () => {
      const error = expect(() => readFlowEvent(recorded(data))).to.throw(EventUndecodable);
      error.with
        .property('message')
        .that.satisfies((message: string) => message.endsWith(`cannot be decoded: ${reason}`));
    });
  }

  it('names the flow after the whole stream where that has no other name', () =>
    expect(readFlowEvent(recorded({ orgId: 'org-1' }, { stream: 'flow' })).flowId).to.equal('flow'));

  it('reads times of 1.0.0 and of other producers, in any spelling of RFC 3339', () => {
    for (const [occurredAt, timestamp] of [
      ['1969-07-20t20:17:40.1234567890123z', '1969-07-20T20:17:40.1234567890123Z'],
      ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
    ])
      expect(readFlowEvent(recorded({ orgId: 'org-1', occurredAt })).timestamp).to.equal(timestamp);
  });

  it('ignores a text of data that is not that of the data', () => {
    const data = { orgId: 'org-1', data: [1e300] };
    const read = (dataText: unknown) => readFlowEvent(recorded(data, { metadata: { dataText } })).dataText;
    expect(read('[1.0e300]')).to.equal('[1.0e300]');
    for (const other of ['[1e301]', '[1e300', '[1e300]}', '{}', '', 1, null]) expect(read(other)).to.equal(undefined);
  });
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

  it('is the one of its first event that names one', async () => {
    await append('flow-1', { amount: 5 });
    await append('flow-1', { orgId: 17 });
    await append('flow-1', { orgId: 'org-1' });
    await append('flow-1', { orgId: 'org-2' });
    expect(await firstToNameOrganisation(store, 'flow-1')).to.eql({ orgId: 'org-1' });
  });

  it('is undefined if no event names one', async () => {
    await append('flow-2', { amount: 5 });
    expect(await firstToNameOrganisation(store, 'flow-2')).to.equal(undefined);
  });

  it('throws StreamNotFound if the stream does not exist', async () =>
    expect(await rejection(firstToNameOrganisation(store, 'flow-3'))).to.be.instanceOf(StreamNotFound));
});
