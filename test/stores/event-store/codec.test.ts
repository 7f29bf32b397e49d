import { expect } from 'chai';
import { z } from 'zod';
import { codecFor, defineEvent } from '../../../src/stores/event-store/codec.js';
import { EventUndecodable, NotSerialisable } from '../../../src/stores/event-store/errors.js';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const cause = { actor: 'user:1', correlationId: 'c-1' };

// Version 1 had one field for the whole name, version 2 none for the country.
const Registered = defineEvent({
  category: 'person',
  type: 'Registered',
  version: 3,
  schema: z.object({ first: z.string(), last: z.string(), country: z.string() }),
  upcasts: {
    1: ({ name }) => {
      const [first = '', last = ''] = (name as string).split(' ');
      return { first, last };
    },
    2: (data) => ({ ...data, country: 'unknown' }),
  },
});

const codec = () => codecFor([Registered]);

const recorded = (event: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: '11111111-1111-4111-8111-111111111111',
  stream: 'person-1',
  revision: 7n,
  position: 9_007_199_254_740_993n,
  type: 'Registered',
  data: { first: 'Ada', last: 'Lovelace', country: 'GB' },
  metadata: { schemaVersion: 3, recordedAt: '2025-01-01T00:00:00.000Z', extra: 'kept' },
  created: now,
  ...event,
});

describe('the codec of events', () => {
  it('writes the defined event, with its version, cause and time', () => {
    const event = { type: 'Registered', data: { first: 'Ada', last: 'Lovelace', country: 'GB' } } as const;
    const encoded = codec().encode(event, { ...cause, causationId: 'e-1', traceparent: '00-1-2-01' }, now);
    expect(encoded).to.deep.include({
      ...event,
      metadata: {
        schemaVersion: 3,
        recordedAt: '2026-01-02T03:04:05.678Z',
        actor: 'user:1',
        $correlationId: 'c-1',
        $causationId: 'e-1',
        traceparent: '00-1-2-01',
      },
    });
    expect(codec().encode(event, cause, now).metadata).to.have.all.keys(
      'schemaVersion',
      'recordedAt',
      'actor',
      '$correlationId',
    );
    expect(encoded.id).to.not.equal(codec().encode(event, cause, now).id);
  });

  it('reads its own writes', () => {
    const event = { type: 'Registered', data: { first: 'Ada', last: 'Lovelace', country: 'GB' } } as const;
    const decoded = codec().decode(recorded(codec().encode(event, cause, now)));
    expect(decoded).to.deep.include({ ...event, recordedAt: now.toISOString(), revision: 7n, stream: 'person-1' });
  });

  it('refuses to write data that is not of its shape, or an event that it does not know', () => {
    const wrong = { type: 'Registered', data: { first: 'Ada' } } as never; // what no type lets through
    expect(() => codec().encode(wrong, cause, now)).to.throw(NotSerialisable, /Registered: .*last/s);
    expect(() => codec().encode({ type: 'Other', data: {} } as never, cause, now)).to.throw(NotSerialisable, /Other/);
  });

  it('refuses to read data that is not of its shape', () => {
    for (const data of [{ first: 'Ada' }, null, 'text']) {
      expect(() => codec().decode(recorded({ data })))
        .to.throw(EventUndecodable, /Registered at revision 7 of person-1/)
        .with.nested.property('event.position', 9_007_199_254_740_993n);
    }
  });

  it('brings older versions up, one step after the other', () => {
    const [first, last] = ['Ada', 'Lovelace'];
    const decode = (data: unknown, metadata: unknown) => codec().decode(recorded({ data, metadata }))?.data;
    expect(decode({ name: 'Ada Lovelace' }, { schemaVersion: 1 })).to.deep.equal({ first, last, country: 'unknown' });
    expect(decode({ first, last }, { schemaVersion: 2 })).to.deep.equal({ first, last, country: 'unknown' });
    expect(decode({ name: 'Ada Lovelace' }, {}), 'no version is the first').to.include({ country: 'unknown' });
  });

  it('refuses older data that is not of the shape it had then, and a version from which no way leads up', () => {
    const old = recorded({ data: { name: 7 }, metadata: { schemaVersion: 1 } });
    expect(() => codec().decode(old)).to.throw(EventUndecodable, /version 1/);
    const withoutUpcasts = codecFor([{ ...Registered, upcasts: {} }]);
    expect(() => withoutUpcasts.decode(old)).to.throw(EventUndecodable, /no upcast from version 1 to 2/);
  });

  for (const [what, event] of [
    ['an unknown type', recorded({ type: 'Vanished' })],
    ['a version that a newer release wrote', recorded({ metadata: { schemaVersion: 4 } })],
    ['a known type in a stream of another category', recorded({ stream: 'flow-1' })],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => codec().decode(event)).to.throw(EventUndecodable, /not known/);
    });
  }

  it('tells types of one name apart by their category', () => {
    const Delivered = defineEvent({
      category: 'parcel',
      type: 'Registered',
      version: 1,
      schema: z.object({ weight: z.number() }),
    });
    const both = codecFor([Registered, Delivered]);
    const parcel = recorded({ stream: 'parcel-1', data: { weight: 2 }, metadata: {} });
    expect(both.decode(parcel)?.data).to.deep.equal({ weight: 2 });
    expect(both.decode(recorded())?.data).to.include({ first: 'Ada' });
  });

  it('takes the time of recording from the metadata, else from the store, and keeps the other metadata', () => {
    expect(codec().decode(recorded())).to.deep.include({ recordedAt: '2025-01-01T00:00:00.000Z' });
    expect(codec().decode(recorded())?.metadata).to.include({ extra: 'kept' });
    expect(codec().decode(recorded({ metadata: { schemaVersion: 3 } }))?.recordedAt).to.equal(now.toISOString());
  });

  it('refuses metadata that nothing of ours has written', () => {
    for (const metadata of [null, 'text', { schemaVersion: 'three' }, { schemaVersion: 3, recordedAt: 'yesterday' }]) {
      expect(() => codec().decode(recorded({ metadata }))).to.throw(EventUndecodable);
    }
  });
});
