import { expect } from 'chai';
import {
  extended,
  marksIn,
  type StreamDigest,
  streamDifference,
  strideOf,
} from '../../../src/audit/seals/stream-digest.js';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';

const eventAt = (revision: number, fields: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`,
  stream: 'listener-a',
  type: 'Happened',
  revision: BigInt(revision),
  position: BigInt(revision),
  created: new Date(0),
  data: { value: revision },
  metadata: { recordedAt: '2026-01-01T00:00:00.000Z' },
  ...fields,
});

const eventsOf = (count: number): readonly RecordedEvent[] =>
  Array.from({ length: count }, (_, index) => eventAt(index));

function digestOf(events: readonly RecordedEvent[], stride?: number): StreamDigest {
  let digest: StreamDigest | undefined;
  for (const event of events) digest = extended(digest, event, stride);
  if (!digest) throw new Error('no events');
  return digest;
}

describe('the digest of a stream', () => {
  it('covers the content of an event, in any order of its fields', () => {
    const digest = digestOf([eventAt(0, { data: { a: 1, b: [{ c: 2, d: 3 }] } })]);
    const same = { data: { b: [{ d: 3, c: 2 }], a: 1 } };
    expect(digestOf([eventAt(0, same)])).to.deep.equal(digest);
    for (const other of [
      { data: { a: 1, b: [{ c: 2, d: 4 }] } },
      { metadata: { recordedAt: '2026-01-01T00:00:00.001Z' } },
      { type: 'Other' },
      { id: '00000000-0000-4000-8000-00000000000f' },
      { stream: 'listener-b' },
    ]) {
      expect(digestOf([eventAt(0, { ...same, ...other })]).digest).not.to.equal(digest.digest);
    }
  });

  it('is the same in a copy, which has other positions and another clock', () => {
    const [original] = eventsOf(1);
    const copy = eventAt(0, { position: 99n, created: new Date(5) });
    expect(digestOf([copy])).to.deep.equal(digestOf([original as RecordedEvent]));
    const undated = eventAt(0, { metadata: {}, created: new Date(7) });
    const copied = eventAt(0, { metadata: { recordedAt: new Date(7).toISOString() }, created: new Date(9) });
    expect(digestOf([copied])).to.deep.equal(digestOf([undated]));
  });

  it('stays small however long the stream is', () => {
    for (const count of [1, 2, 255, 256, 257, 513, 5_000]) {
      const digest = digestOf(eventsOf(count));
      expect(marksIn(digest.marks).length).to.equal(Math.floor(count / strideOf(count)));
      expect(marksIn(digest.marks).length).to.be.at.most(256);
      expect(digestOf(eventsOf(count), strideOf(count))).to.deep.equal(digest);
    }
  });
});

describe('the difference between a stream and its seal', () => {
  /** Difference as `audit check` finds it. */
  const difference = (count: number, now: readonly RecordedEvent[], gap?: bigint) =>
    streamDifference(
      digestOf(eventsOf(count)),
      now.length > 0 ? { ...digestOf(now, strideOf(count)), gap } : undefined,
    );
  const changedAt = (count: number, revision: number) =>
    eventsOf(count).map((event, index) => (index === revision ? { ...event, data: { value: 'other' } } : event));

  it('is none for equal events', () => {
    for (const count of [1, 256, 300]) expect(difference(count, eventsOf(count))).to.equal(undefined);
  });

  it('is named by its revision, and in a long stream by the few that it is among', () => {
    for (const revision of [0, 1, 100, 255]) {
      const at = BigInt(revision);
      expect(difference(256, changedAt(256, revision))).to.deep.equal({ kind: 'changed', from: at, to: at });
    }
    expect(difference(1_000, changedAt(1_000, 500))).to.deep.equal({ kind: 'changed', from: 500n, to: 503n });
    expect(difference(1_001, changedAt(1_001, 1_000))).to.deep.equal({ kind: 'changed', from: 1_000n, to: 1_000n });
  });

  it('names missing events: all, the first, some in between, or the last', () => {
    const events = eventsOf(5);
    expect(difference(5, [])).to.deep.equal({ kind: 'removed', from: 0n, to: 4n });
    expect(difference(5, events.slice(2))).to.deep.equal({ kind: 'removed', from: 0n, to: 1n });
    expect(difference(5, events.slice(0, 3))).to.deep.equal({ kind: 'removed', from: 3n, to: 4n });
    const without = events.filter(({ revision }) => revision !== 2n);
    expect(difference(5, without, 2n)).to.deep.equal({ kind: 'removed', from: 2n, to: 2n });
  });

  it('names events before the first sealed event', () => {
    const sealed = digestOf(eventsOf(5).slice(2));
    const found = digestOf(eventsOf(5), strideOf(3));
    expect(streamDifference(sealed, found)).to.deep.equal({ kind: 'added', from: 0n, to: 1n });
  });
});
