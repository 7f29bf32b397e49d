import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { pino } from 'pino';
import { replays } from '../../../projections/replays.js';
import { replayDecider, replayStream, startReplay } from '../../../src/admin/replays/replay.js';
import { type ReplayRunner, startReplayRunner } from '../../../src/admin/replays/replay-runner.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { handle, load } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { soleHolder } from '../../../src/stores/leases/sole-holder.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('the runner of replays', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  let readModel: ReadModel;
  let looked: number;
  let logged: string[];
  let replayEvents: EventEmitter;

  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
    const opened = openSqliteReadModel({ directory });
    looked = 0;
    readModel = {
      ...opened,
      live: (projection) => {
        looked += 1;
        return opened.live(projection);
      },
    };
    logged = [];
    replayEvents = new EventEmitter();
  });
  afterEach(async () => {
    for (const each of [readModel, queue, store]) await each.close();
  });

  function start(fields: Partial<ReplayRunner> = {}) {
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
    const [details, viewPassed] = [async () => undefined, async () => undefined];
    return startReplayRunner({
      store,
      queue,
      readModel,
      details,
      viewPassed,
      log,
      leases: soleHolder({ log }),
      clock: Date.now,
      replayEvents,
      pollMs: 5,
      ...fields,
    });
  }

  async function begin(orgId: string): Promise<string> {
    const [replayId, listenerId] = [randomUUID(), randomUUID()];
    const now = new Date();
    const all = { from: null, to: null, type: null, event: null, ratePerSecond: 1 };
    const cause = { actor: 'test', correlationId: replayId };
    const command = { replayId, orgId, listenerId, ...all, now };
    const stream = replayStream(replayId);
    await handle(store, stream, replayDecider, (replay) => startReplay(command, replay), { cause, now });
    return replayId;
  }

  const stateOf = async (replayId: string) => (await load(store, replayStream(replayId), replayDecider)).state;

  it('waits without a word while the view that it looks into is being built for the first time', async () => {
    const runner = start();
    await until(() => looked > 3, 'it to have looked');
    await rebuild({ store, readModel, projection: replays });
    const lookedBefore = looked;
    await until(() => looked > lookedBefore + 3, 'it to have looked into the view');
    expect(logged).to.deep.equal([]);
    await runner.stop();
  });

  it('looks at once, and until the view may have the event, when an event of a replay is read, else rarely', async () => {
    await rebuild({ store, readModel, projection: replays });
    const runner = start({ idleMs: 60_000 });
    await until(() => looked === 1, 'its first look');
    replayEvents.emit('event');
    await until(() => looked > 5, 'it to look again and again');
    await runner.stop();
    expect(replayEvents.listenerCount('event')).to.equal(0);
    expect(logged).to.deep.equal([]);
  });

  it('takes no listener for removed that the listeners view does not hold yet', async () => {
    const replayId = await begin('acme');
    await rebuild({ store, readModel, projection: replays });
    let pass = (): void => {};
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    const runner = start({ viewPassed: () => passed });
    await until(() => looked > 5, 'it to have looked');
    expect(await stateOf(replayId)).to.include({ state: 'running' });
    pass();
    await until(
      async () => (await stateOf(replayId)).state === 'cancelled',
      'it to be cancelled, as there is no listener',
    );
    await runner.stop();
  });

  it('leaves room for other organisations, however many one has started', async () => {
    for (let count = 0; count < 60; count += 1) await begin('many');
    await begin('other');
    const last = await store.head();
    await rebuild({ store, readModel, projection: replays });
    const running = new Set<bigint>();
    const viewPassed = async (position: bigint, signal: AbortSignal) => {
      running.add(position);
      await once(signal, 'abort');
      throw signal.reason;
    };
    const runner = start({ viewPassed });
    await until(() => running.has(last), 'that of the other to run');
    const lookedBefore = looked;
    await until(() => looked > lookedBefore + 3, 'it to have looked again');
    expect(running.size).to.equal(6);
    await runner.stop();
    expect(logged).to.deep.equal([]);
  });
});
