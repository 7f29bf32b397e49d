import { expect } from 'chai';
import { z } from 'zod';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { codecFor, defineEvent, type EventOf } from '../../../src/stores/event-store/codec.js';
import { WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { collect } from '../../contract/event-store/support.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const Counted = defineEvent({ category: 'counter', type: 'Counted', version: 1, schema: z.object({ total: z.int() }) });
type Counted = EventOf<typeof Counted>;

const counter: Decider<number, Counted> = {
  codec: codecFor([Counted]),
  initialState: () => 0,
  evolve: (_, { data }) => data.total,
};

const count = (total: number): readonly Counted[] => [{ type: 'Counted', data: { total: total + 1 } }];
const countTwice = (total: number): readonly Counted[] => [...count(total), ...count(total + 1)];
const because = { cause: { actor: 'test', correlationId: 'c-1' }, now: new Date() };

describe('handling a command', () => {
  let store: EventStore;

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });
  afterEach(() => store.close());

  /** The store, in which another writer appends before each of the next `times` appends. */
  function overtaken(times: number): EventStore {
    let left = times;
    return {
      ...store,
      async append(stream, events, options) {
        if (left > 0) {
          left -= 1;
          await handle(store, stream, counter, count, because);
        }
        return store.append(stream, events, options);
      },
    };
  }

  it('begins with the initial state, and appends the decided events', async () => {
    const { state, events, position } = await handle(store, 'counter-1', counter, countTwice, because);
    expect({ state, events }).to.deep.equal({ state: 2, events: countTwice(0) });
    expect(position).to.equal(await store.head());
    expect(await load(store, 'counter-1', counter)).to.deep.equal({ state: 2, revision: 1n });
  });

  it('decides on the state that the last event tells', async () => {
    await handle(store, 'counter-1', counter, countTwice, because);
    expect((await handle(store, 'counter-1', counter, count, because)).state).to.equal(3);
  });

  it('appends nothing where nothing is decided', async () => {
    const { state, events, position } = await handle(store, 'counter-1', counter, () => [], because);
    expect({ state, events, position }).to.deep.equal({ state: 0, events: [], position: undefined });
    expect(await store.head()).to.equal(-1n);
  });

  it('appends nothing where the decision refuses, and passes on why', async () => {
    const refusal = new Error('no');
    const refused = handle(
      store,
      'counter-1',
      counter,
      () => {
        throw refusal;
      },
      because,
    );
    expect(await rejection(refused)).to.equal(refusal);
    expect(await store.head()).to.equal(-1n);
  });

  it('decides again on the new state after a conflict with another writer', async () => {
    const seen: number[] = [];
    const decide = (total: number) => {
      seen.push(total);
      return count(total);
    };
    const { state } = await handle(overtaken(2), 'counter-1', counter, decide, because);
    expect({ seen, state }).to.deep.equal({ seen: [0, 1, 2], state: 3 });
  });

  it('lets many count at once without losing any', async () => {
    await Promise.all(Array.from({ length: 10 }, () => handle(store, 'counter-1', counter, count, because)));
    const totals = (await collect(store.readStream('counter-1'))).map(({ data }) => data);
    expect(totals).to.deep.equal(Array.from({ length: 10 }, (_, index) => ({ total: index + 1 })));
  });

  it('is unavailable, with a time to come back, where others are always faster', async () => {
    const error = await rejection(handle(overtaken(Number.POSITIVE_INFINITY), 'counter-1', counter, count, because));
    expect(error).to.be.instanceOf(StoreUnavailable).with.nested.property('options.retryAfterMs', 1000);
  });

  it('passes on every other failure of the store', async () => {
    await store.close();
    const error = await rejection(handle(store, 'counter-1', counter, count, because));
    expect(error).to.be.instanceOf(StoreUnavailable).and.not.instanceOf(WrongExpectedRevision);
  });
});
