import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import type { Progress } from '../../../src/admin/replays/replay.js';
import { type RunReplay, runReplay } from '../../../src/admin/replays/run-replay.js';
import { fanOutBeginningReader } from '../../../src/deliveries/fan-out/fan-out-beginning.js';
import { fanOutReader } from '../../../src/deliveries/fan-out/partitions.js';
import type { ReplayData } from '../../../src/events/replay-events.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { open, sortable } from '../../../src/views/projection.js';
import { details, detailsWith } from '../../listeners/fixtures.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const orgId = 'acme';
const listenerId = '11111111-1111-4111-8111-111111111111';
const listener: ListenerPeriod = {
  ...details,
  orgId,
  listenerId,
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: sortable(0n),
  since: '',
  until: open,
};

const all = { orgId, listenerId, from: null, to: null, type: null, event: null };
const nothingYet = { startedAt: '2026-01-01T00:00:00.000Z', lookedAt: 0, enqueued: 0, share: 0, reached: null };

describe('the run of a replay', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  let streams: string[];
  /** Milliseconds of the pauses, which take no time here. */
  let pauses: number[];

  beforeEach(() => {
    const directory = temporaryDirectory();
    streams = [];
    pauses = [];
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });

  const sleep = async (ms: number): Promise<boolean> => {
    pauses.push(ms);
    return true;
  };

  /** Publishes flow events that the fan-out has passed. Returns the position after them. */
  async function happened(events: number, dataText?: string): Promise<bigint> {
    const messages = [];
    for (let n = 0; n < events; n += 1) {
      const event = {
        id: randomUUID(),
        type: 'flow.completed',
        data: { orgId, n },
        metadata: { ...(dataText !== undefined && { dataText }) },
      };
      const { position } = await store.append(`flow-${event.id}`, [event]);
      streams.push(`flow-${event.id}`);
      messages.push({ eventId: event.id, orgId, type: event.type, position, body: null, recordedAt: undefined });
    }
    const began = { reader: fanOutBeginningReader, position: -1n, term: 1n };
    await queue.enqueue({ ...emptyBatch, checkpoint: began }, 0);
    const reached = { reader: fanOutReader, position: await store.head(), term: 1n };
    await queue.enqueue({ ...emptyBatch, messages, checkpoint: reached }, 0);
    return reached.position + 1n;
  }

  const run = (
    fields: Partial<RunReplay>,
    ratePerSecond: number,
    startedAfter: bigint,
    wanted: Partial<ReplayData> = {},
  ) =>
    runReplay(
      { store, queue, clock: () => 0, details: async () => listener, onProgress: async () => {}, sleep, ...fields },
      { replayId: randomUUID(), ...all, ...nothingYet, ratePerSecond, ...wanted },
      { startedAfter, signal: new AbortController().signal },
    );

  it('reports its first batch at once, so that operators see its progress', async () => {
    const reported: Progress[] = [];
    const onProgress = async (progress: Progress) => void reported.push(progress);
    const { outcome, progress } = await run({ onProgress }, 3, await happened(3));

    expect(reported.map(({ enqueued }) => enqueued)).to.eql([1]);
    expect(reported[0]?.share).to.be.within(0.1, 0.9);
    expect([outcome, progress.enqueued]).to.eql(['completed', 3]);
  });

  it('sends the numbers of an event digit for digit', async () => {
    const dataText = '{"n":0.00}';
    await run({}, 1, await happened(1, dataText));
    const { deliveries } = await queue.lease({
      limit: 1,
      perListener: 1,
      inFlight: { byListener: new Map() },
      probeMs: 1_000,
      now: 1,
    });
    expect(deliveries[0]?.body).to.contain(`,"data":${dataText}}`);
  });

  it('reports its progress although the wall clock is set back', async () => {
    const reported: Progress[] = [];
    const onProgress = async (progress: Progress) => void reported.push(progress);
    let looks = 0;
    const details = async () => {
      looks += 1;
      return listener;
    };
    const clock = () => Date.now() - (looks > 2 ? 3_600_000 : 0); // from the second batch on
    await run({ onProgress, details, clock, progressEveryMs: 0 }, 20, await happened(40));
    expect(reported.map(({ enqueued }) => enqueued)).to.eql([10, 20, 30, 40]);
  });

  it("sends the listener's subscription type, unless a type or an event is named", async () => {
    const startedAfter = await happened(3);
    const other = detailsWith(listener, { subscriptionType: 'order.*' });
    const details = async () => other;
    const { progress } = await run({ details }, 100, startedAfter);
    expect(progress).to.include({ lookedAt: 3, enqueued: 0, share: 1 });
    expect((await run({ details }, 100, startedAfter, { type: 'flow.*' })).progress.enqueued).to.equal(3);
    const event = { stream: streams[1] ?? '', revision: '0' };
    expect((await run({ details }, 100, startedAfter, { event })).progress.enqueued).to.equal(1);
  });

  it('ends at once where the listener is registered no more', async () => {
    const { outcome, progress } = await run({ details: async () => undefined }, 1, await happened(3));
    expect(outcome).to.equal('removed');
    expect(progress).to.include({ lookedAt: 0, enqueued: 0 });
  });

  it('enqueues as many a second as it may at most, half of them at once', async () => {
    const startedAfter = await happened(220);
    const sizes: number[] = [];
    const watched: DeliveryQueue = {
      ...queue,
      async enqueue(batch, now) {
        sizes.push(batch.deliveries.length);
        return queue.enqueue(batch, now);
      },
    };
    const { progress } = await run({ queue: watched }, 100, startedAfter);
    expect(progress).to.include({ enqueued: 220, share: 1 });
    expect(sizes).to.eql([50, 50, 50, 50, 20]);
    expect(pauses, 'after each').to.eql([500, 500, 500, 500]);
  });
});
