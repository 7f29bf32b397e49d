import { expect } from 'chai';
import { type RetentionPolicy, retentionWalk } from '../../../src/admin/erasure/stream-retention.js';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { newEvent } from '../../contract/event-store/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const minute = 60_000;

describe('deleting streams whose last event is old', () => {
  let store: EventStore;
  let now: number;

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });
  afterEach(() => store.close());

  const add = (stream: string) => store.append(stream, [newEvent({}, { recordedAt: new Date(now).toISOString() })]);

  async function isThere(stream: string): Promise<boolean> {
    try {
      for await (const _ of store.readStream(stream)) return true;
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
    }
    return false;
  }

  const walkWith = (policy: Partial<RetentionPolicy> & { mayDelete?: (stream: string) => boolean } = {}) =>
    retentionWalk({
      store,
      category: 'a',
      retentionMs: 10 * minute,
      clock: () => now,
      pace: { step: 3, recheckMs: 5 * minute },
      prepareCheck: async () => async (last) => policy.mayDelete?.(last.stream) ?? true,
      erase: async (lasts) => {
        for (const { stream, revision } of lasts) await store.deleteStream(stream, { expectedRevision: revision });
      },
      ...policy,
    });

  async function untilDone(walk: () => Promise<boolean>): Promise<number> {
    let steps = 0;
    while (await walk()) steps += 1;
    return steps;
  }

  it('goes by the last event of each, step by step, and leaves other categories alone', async () => {
    for (let index = 0; index < 7; index += 1) await add(`a-old-${index}`);
    await add('a-alive');
    await add('b-old');
    now += 11 * minute;
    await add('a-alive');
    const walk = walkWith();
    expect(await untilDone(walk)).to.equal(3);
    expect(await isThere('a-old-0')).to.equal(false);
    expect(await isThere('a-old-6')).to.equal(false);
    expect(await isThere('a-alive')).to.equal(true);
    expect(await isThere('b-old')).to.equal(true);

    now += 11 * minute;
    await untilDone(walk);
    expect(await isThere('a-alive')).to.equal(false);
  });

  it('checks kept streams again later', async () => {
    await add('a-needed');
    await add('a-free');
    now += 11 * minute;
    let isNeeded = true;
    const walk = walkWith({ mayDelete: (stream) => stream !== 'a-needed' || !isNeeded });
    await untilDone(walk);
    expect([await isThere('a-needed'), await isThere('a-free')]).to.deep.equal([true, false]);
    isNeeded = false;
    await untilDone(walk);
    expect(await isThere('a-needed')).to.equal(true);
    now += 6 * minute;
    await untilDone(walk);
    expect(await isThere('a-needed')).to.equal(false);
  });

  it('looks at nothing behind the position that it may', async () => {
    const { position } = await add('a-first');
    await add('a-second');
    now += 11 * minute;
    await untilDone(walkWith({ upTo: async () => position }));
    expect([await isThere('a-first'), await isThere('a-second')]).to.deep.equal([false, true]);
  });

  it('does a step again that failed', async () => {
    await add('a-old');
    now += 11 * minute;
    let fails = true;
    const walk = walkWith({
      erase: async (lasts) => {
        if (fails) throw new Error('the store is down');
        for (const { stream } of lasts) await store.deleteStream(stream);
      },
    });
    const failure = await walk().catch((error: unknown) => error);
    expect(failure).to.be.an('error');
    fails = false;
    await untilDone(walk);
    expect(await isThere('a-old')).to.equal(false);
  });
});
