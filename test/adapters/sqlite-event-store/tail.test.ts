import { expect } from 'chai';
import type { Row } from '../../../src/stores/event-store/sqlite/schema.js';
import { Tail } from '../../../src/stores/event-store/sqlite/subscription.js';

describe('unread events of a subscription, in memory', () => {
  let tail: Tail;

  beforeEach(() => {
    tail = new Tail();
  });

  const row = (position: number, { stream = 'a-1', data = '{}' } = {}): Row => [
    ...([`id-${position}`, stream, 0n, BigInt(position), 'happened', data, '{}', 1_700_000_000_000n] as const),
  ];

  /** A transaction that appended these, after the one that is said to come before it. */
  function committed(after: number, rows: readonly Row[], deleted = false): void {
    tail.add({ after: BigInt(after), position: rows.at(-1)?.[3] ?? BigInt(after), rows, deleted });
  }

  const take = (from: number, upTo: number) =>
    tail.take(BigInt(from), BigInt(upTo))?.map(({ position }) => Number(position));

  it('returns events after a position, up to another', () => {
    committed(-1, [row(1), row(2)]);
    committed(2, [row(3), row(4)]);
    expect(take(-1, 3)).to.deep.equal([1, 2, 3]);
    expect(take(3, 4)).to.deep.equal([4]);
    expect(take(4, 4)).to.deep.equal([]);
  });

  it('leaves out events that were read elsewhere meanwhile', () => {
    committed(-1, [row(1), row(2), row(3)]);
    expect(take(2, 3)).to.deep.equal([3]);
  });

  it('forgets taken events, and all before', () => {
    committed(-1, [row(1), row(2), row(3)]);
    take(1, 2);
    expect(take(-1, 3)).to.equal(undefined);
    expect(take(1, 3)).to.equal(undefined);
    expect(take(2, 3)).to.deep.equal([3]);
  });

  it('gives events as the file does', () => {
    committed(-1, [row(1, { data: '{"a":[1,"é"]}' })]);
    expect(tail.take(-1n, 1n)).to.deep.equal([
      {
        ...{ id: 'id-1', stream: 'a-1', revision: 0n, position: 1n, type: 'happened' },
        ...{ data: { a: [1, 'é'] }, metadata: {}, created: new Date(1_700_000_000_000) },
      },
    ]);
  });

  it('returns only those of the requested categories', () => {
    tail = new Tail({ categories: ['b', 'c'] });
    committed(-1, [row(1), row(2, { stream: 'b-1' }), row(3, { stream: 'ab-1' })]);
    expect(take(-1, 3)).to.deep.equal([2]);
    committed(3, [row(4)]);
    expect(take(3, 4)).to.deep.equal([]);
  });

  it('does not know events before the first notification, nor without one', () => {
    committed(7, [row(8)]);
    expect(take(6, 8)).to.equal(undefined);
    expect(take(7, 9)).to.equal(undefined);
    expect(take(7, 8)).to.deep.equal([8]);
  });

  it('begins anew if another connection has appended in between', () => {
    committed(-1, [row(1)]);
    committed(3, [row(4)]);
    expect(take(-1, 4)).to.equal(undefined);
    expect(take(1, 4)).to.equal(undefined);
    expect(take(3, 4)).to.deep.equal([4]);
  });

  it('ignores late notifications', () => {
    committed(5, [row(6)]);
    committed(-1, [row(1), row(5)]);
    expect(take(5, 6)).to.equal(undefined);
    committed(6, [row(7)]);
    expect(take(6, 7)).to.deep.equal([7]);
  });

  it('forgets all that it holds once a stream is deleted', () => {
    committed(-1, [row(1)]);
    committed(1, [], true);
    expect(take(-1, 1)).to.equal(undefined);
    expect(take(1, 1)).to.deep.equal([]);
  });

  it('holds nothing of a transaction that has deleted a stream, possibly its own', () => {
    committed(-1, [row(1)], true);
    expect(take(-1, 1)).to.equal(undefined);
    committed(1, [row(2)]);
    expect(take(1, 2)).to.deep.equal([2]);
  });

  it('holds a thousand events at most, and a mebibyte, and always the latest', () => {
    for (let position = 1; position <= 2_500; position += 1) committed(position - 1 || -1, [row(position)]);
    expect(take(1_400, 2_500)).to.equal(undefined);
    expect(take(2_499, 2_500)).to.deep.equal([2_500]);
    const data = JSON.stringify('x'.repeat(600_000));
    committed(2_500, [row(2_501, { data }), row(2_502, { data })]);
    expect(take(2_501, 2_502)).to.deep.equal([2_502]);
    committed(2_502, [row(2_503, { data: JSON.stringify('x'.repeat(1_100_000)) })]);
    expect(take(2_502, 2_503)).to.equal(undefined);
    expect(take(2_503, 2_503)).to.deep.equal([]);
  });
});
