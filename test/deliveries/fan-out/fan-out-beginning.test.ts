import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { fanOutBeginning, fanOutReader } from '../../../src/deliveries/fan-out/fan-out-beginning.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { subscribed, unsubscribed } from '../../listeners/fixtures.js';
import { batchOf, emptyBatch, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('where the fan-out begins', () => {
  let store: EventStore;
  let queue: DeliveryQueue;

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });

  const begin = (startFrom?: bigint) => fanOutBeginning({ store, queue, startFrom, term: 1n, clock: () => 1_000 });

  async function loseQueue(): Promise<void> {
    await queue.close();
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  }

  async function append(event: ListenerEvent): Promise<bigint> {
    const cause = { actor: 'user:ada', correlationId: 'request-1' };
    const encoded = listenerCodec.encode(event, cause, new Date());
    return (await store.append(listenerStream(event.data.orgId, event.data.hookUrl), [encoded])).position;
  }

  async function publish(): Promise<bigint> {
    const event = { id: randomUUID(), type: 'flow.completed', data: { orgId: 'acme' }, metadata: {} };
    return (await store.append(`flow-${event.id}`, [event])).position;
  }

  it('is the end of the history where there never was a listener', async () => {
    const last = await publish();
    expect(await begin()).to.equal(last);
  });

  it('is the first listener where it never began: what other instances took before it is still owed', async () => {
    await publish();
    const first = await append(subscribed());
    await publish();
    expect(await begin()).to.equal(first);
  });

  it('is where it stopped', async () => {
    await begin();
    const checkpoint = { reader: fanOutReader, position: 7n, term: 1n, follows: true } as const;
    await queue.enqueue({ ...emptyBatch, checkpoint }, 1_000);
    expect(await begin()).to.equal(7n);
  });

  it('is refused if the queue was lost, until a start position is given', async () => {
    await append(subscribed());
    await begin();
    const position = await publish();
    await loseQueue();

    expect(await begin().catch((error: unknown) => error)).to.have.property('code', 'deliveries_lost');
    expect(await begin(position)).to.equal(position);
    expect(await begin()).to.equal(position);
  });

  it('leaves the gates closed of all listeners that were removed, before anything is handed over', async () => {
    const { listenerId } = unsubscribed({ since: 0 }).data;
    await append(subscribed());
    await begin();
    await publish();
    await append(unsubscribed({ since: 0 }));
    await loseQueue();

    await begin(-1n);
    await queue.enqueue(batchOf([queuedListener({ listenerId })]), 1_000);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, cancelled: 1 });
  });
});
