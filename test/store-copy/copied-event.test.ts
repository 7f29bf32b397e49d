import { expect } from 'chai';
import { copiedDigestOf, copiedEvent, differenceOf, digestOf } from '../../src/store-copy/copied-event.js';
import { recordedAt } from '../../src/stores/event-store/codec.js';
import type { RecordedEvent } from '../../src/stores/event-store/event-store.js';

const created = new Date('2026-01-02T03:04:05.678Z');
const later = new Date('2027-01-02T03:04:05.678Z');

const recorded = (fields: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: '11111111-1111-4111-8111-111111111111',
  stream: 'flow-1',
  revision: 7n,
  position: 42n,
  type: 'flow.done',
  data: { orgId: 'acme', n: 1 },
  metadata: { recordedAt: '2025-01-01T00:00:00.000Z', actor: 'user:1' },
  created,
  ...fields,
});

/** Event as the other store returns it. */
const copyOf = (event: RecordedEvent, fields: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...event,
  ...copiedEvent(event),
  position: 4_242n,
  created: later,
  ...fields,
});

describe('the copy of an event', () => {
  it('is the event as it was, where its metadata says when it was recorded', () => {
    const { id, type, data, metadata } = recorded();
    expect(copiedEvent(recorded())).to.deep.equal({ id, type, data, metadata });
  });

  for (const [what, metadata] of [
    ['nothing', {}],
    ['no time', { recordedAt: 'yesterday', actor: 'user:1' }],
    ['something that is not ours', { schemaVersion: 'seven', $correlationId: 'c' }],
  ] as const) {
    it(`was recorded when the event was taken, where the metadata holds ${what}`, () => {
      const event = recorded({ metadata });
      expect(recordedAt(copyOf(event)))
        .to.equal(created.toISOString())
        .and.equal(recordedAt(event));
      expect(copyOf(event).metadata).to.deep.equal({ ...metadata, recordedAt: created.toISOString() });
    });
  }

  it('has the same digest at any position and in any order of its properties', () => {
    const event = recorded({ data: { a: 1, b: { c: [1, { d: 2, e: null }], é: 'ü' } } });
    const turned = copyOf(event, { data: { b: { é: 'ü', c: [1, { e: null, d: 2 }] }, a: 1 } });
    expect(digestOf(turned)).to.equal(copiedDigestOf(event));
    expect(differenceOf(event, turned)).to.equal(undefined);
  });

  for (const [what, fields, says] of [
    [
      'data',
      { data: { orgId: 'acme', n: 2 } },
      /^the data of the event 1111\S+ at revision 7 of flow-1 differs in the copy/,
    ],
    ['type', { type: 'flow.other' }, /^the type of the event/],
    ['metadata', { metadata: {} }, /^the metadata of the event/],
    ['revision', { revision: 8n }, /^where the source has the event \S+ at revision 7 .* at revision 8 of flow-1$/],
    ['stream', { stream: 'flow-2' }, /^where the source has .* of flow-1, the copy has .* of flow-2$/],
  ] as const) {
    it(`differs by its ${what}, which the message names without the event's content`, () => {
      const difference = differenceOf(recorded(), copyOf(recorded(), fields));
      expect(difference).to.match(says).and.not.contain('acme');
    });
  }

  it('is missing, or too much', () => {
    expect(differenceOf(recorded(), undefined)).to.match(/^the copy lacks the event/);
    expect(differenceOf(undefined, recorded())).to.match(/^the copy has the event .* which the source does not have/);
    expect(differenceOf(undefined, undefined)).to.equal(undefined);
  });
});
