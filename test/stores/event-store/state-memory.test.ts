import { expect } from 'chai';
import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../../../src/stores/event-store/codec.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { type Decider, handle, load, type StateMemory, stateMemory } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const Counted = defineEvent({ category: 'counter', type: 'Counted', version: 1, schema: z.object({ total: z.int() }) });
type Counted = EventOf<typeof Counted>;

const counter: Decider<number, Counted> = {
  codec: codecFor([Counted]),
  initialState: () => 0,
  evolve: (_, { data }) => data.total,
};
const because = { cause: { actor: 'test', correlationId: 'c-1' }, now: new Date() };
const stream = 'counter-1';
const count = (total: number): readonly Counted[] => [{ type: 'Counted', data: { total: total + 1 } }];

describe('handling a command with a memory of states', () => {
  let store: EventStore;
  let reads: number;
  let memory: StateMemory<number>;
  beforeEach(() => {
    reads = 0;
    memory = stateMemory(2);
    const sqlite = openSqliteEventStore({ directory: temporaryDirectory() });
    store = {
      ...sqlite,
      readStream: (...range) => {
        reads += 1;
        return sqlite.readStream(...range);
      },
    };
  });
  afterEach(() => store.close());

  const handled = (decide: (total: number) => readonly Counted[]) =>
    handle(store, stream, counter, decide, { ...because, memory });
  const anotherWriterCounts = () => handle(store, stream, counter, count, because);

  it('reads nothing where the state is remembered and still holds', async () => {
    await handled(count);
    reads = 0;
    expect((await handled(count)).state).to.equal(2);
    expect(reads).to.equal(0);
    expect((await load(store, stream, counter)).state).to.equal(2);
  });

  it('decides again on the stored state where another writer has appended', async () => {
    await handled(count);
    await anotherWriterCounts();
    expect((await handled(count)).state).to.equal(3);
  });

  it('believes the store, not the memory, where nothing is to be appended', async () => {
    await handled(count);
    await anotherWriterCounts();
    expect((await handled(() => [])).state).to.equal(2);
  });

  it('believes the store, not the memory, where the command is refused', async () => {
    const onlyFromTwo = (total: number) => {
      if (total !== 2) throw new RangeError(`not from ${total}`);
      return count(total);
    };
    await handled(count);
    await anotherWriterCounts();
    expect((await handled(onlyFromTwo)).state).to.equal(3);
    expect(await rejection(handled(onlyFromTwo))).to.be.instanceOf(RangeError);
  });

  it('remembers only the streams that were used last', () => {
    for (const name of ['a', 'b', 'a', 'c']) memory.set(name, { state: 1, revision: 0n });
    expect(['a', 'b', 'c'].map((name) => memory.get(name) !== undefined)).to.eql([true, false, true]);
  });
});
