import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import { readFirstIfExists, readIfExists, resultIfExists } from '../../../src/stores/event-store/read-if-exists.js';
import { collect } from '../../contract/event-store/support.js';
import { rejection } from '../../support/rejection.js';

describe('a read of a stream that may not exist', () => {
  let isOpen: boolean;

  async function* reading(events: readonly string[], error?: Error) {
    isOpen = true;
    try {
      yield* events;
      if (error) throw error;
    } finally {
      isOpen = false;
    }
  }

  it('returns the events of a stream that exists', async () => {
    expect(await collect(readIfExists(reading(['a', 'b'])))).to.deep.equal(['a', 'b']);
    expect(await readFirstIfExists(reading(['a', 'b']))).to.equal('a');
    expect(await resultIfExists(Promise.resolve('a'), 'absent')).to.equal('a');
  });

  it('returns nothing for a stream that does not exist', async () => {
    const absent = new StreamNotFound('flow-1');
    expect(await collect(readIfExists(reading([], absent)))).to.deep.equal([]);
    expect(await readFirstIfExists(reading([], absent))).to.equal(undefined);
    expect(await resultIfExists(Promise.reject(absent), 'absent')).to.equal('absent');
  });

  it('returns no first event for a stream that exists without one', async () =>
    expect(await readFirstIfExists(reading([]))).to.equal(undefined));

  it('throws every other error of the store', async () => {
    const error = new StoreUnavailable('away', { retryAfterMs: 1 });
    expect(await rejection(collect(readIfExists(reading(['a'], error))))).to.equal(error);
    expect(await rejection(readFirstIfExists(reading([], error)))).to.equal(error);
    expect(await rejection(resultIfExists(Promise.reject(error), 'absent'))).to.equal(error);
  });

  it('throws a StreamNotFound of the loop that reads the events', async () => {
    const own = new StreamNotFound('flow-2');
    const loop = async () => {
      for await (const _ of readIfExists(reading(['a', 'b']))) throw own;
    };
    expect(await rejection(loop())).to.equal(own);
    expect(isOpen).to.equal(false);
  });

  it('ends the read after the first event', async () => {
    await readFirstIfExists(reading(['a', 'b']));
    expect(isOpen).to.equal(false);
  });
});
