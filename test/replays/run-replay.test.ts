import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Registration } from '../../projections/listeners.js';
import { open, sortable } from '../../projections/projection.js';
import { fanOutBeginningReader, fanOutReader } from '../../src/deliveries/fan-out-beginning.js';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import type { Progress } from '../../src/replays/replay.js';
import { runReplay } from '../../src/replays/run-replay.js';
import { registration } from '../listeners/stories.js';
import { emptyBatch } from '../support/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const orgId = 'acme';
const listenerId = '11111111-1111-4111-8111-111111111111';
const hook: Registration = {
  ...{ ...registration, orgId, listenerId },
  ...{ state: 'active', pausedBy: null, from: sortable(0n), since: '', until: open },
};

describe('the run of a replay', () => {
  it('tells of its first batch at once, so that whoever looks sees that it goes on', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const queue = openSqliteDeliveryQueue({ directory });
    const messages = [];
    for (let n = 0; n < 3; n += 1) {
      const event = { id: randomUUID(), type: 'flow.completed', data: { orgId, n }, metadata: {} };
      const { position } = await store.append(`flow-${event.id}`, [event]);
      messages.push({ eventId: event.id, orgId, type: event.type, position, body: null, recordedAt: undefined });
    }
    const began = { reader: fanOutBeginningReader, position: -1n, term: 1n };
    await queue.enqueue({ ...emptyBatch, checkpoint: began }, 0);
    const reached = { reader: fanOutReader, position: await store.head(), term: 1n };
    await queue.enqueue({ ...emptyBatch, messages, checkpoint: reached }, 0);

    const told: Progress[] = [];
    const { outcome, progress } = await runReplay(
      {
        ...{ store, queue, clock: () => 0, registration: async () => hook },
        onProgress: async (progress) => void told.push(progress),
      },
      {
        ...{
          replayId: randomUUID(),
          orgId,
          listenerId,
          from: null,
          to: null,
          type: null,
          event: null,
          ratePerSecond: 3,
        },
        ...{ startedAt: '2026-01-01T00:00:00.000Z', lookedAt: 0, enqueued: 0, share: 0, reached: null },
      },
      { startedAfter: reached.position + 1n, signal: new AbortController().signal },
    );
    await queue.close();
    await store.close();

    expect(told.map(({ enqueued }) => enqueued)).to.eql([1]);
    expect(told[0]?.share).to.be.within(0.1, 0.9);
    expect([outcome, progress.enqueued]).to.eql(['completed', 3]);
  });
});
