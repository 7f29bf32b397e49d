import { expect } from 'chai';
import { fanOutReader } from '../../../src/deliveries/fan-out/partitions.js';
import { showFlowEvent } from '../../../src/deliveries/queries/locate-flow-event.js';
import { newFlowEvent, publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { flowEventOf } from '../../../src/flows/publishing/cloud-event.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const now = new Date('2026-01-02T00:00:00.000Z');
const orgId = 'acme';
const options = { orgId, now, maxBytes: 100_000, cause: { actor: 'api-key:1', correlationId: 'c' } };

describe('a flow event that is shown', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });
  const show = (id: string) => showFlowEvent({ store, queue }, orgId, id);

  it('has its publisher and the attributes of its CloudEvent', async () => {
    const attributes = { specversion: '1.0', source: '/orders', subject: 'order 1', tenant: 'a' };
    const event = flowEventOf({ id: 'order-1', type: 't', data: 1, ...attributes });
    await publishFlowEvent(store, event, options);
    await publishFlowEvent(store, { id: 'order-2', type: 't', data: 2 }, options);
    expect(await show('order-1')).to.deep.include({ publishedBy: 'api-key:1', cloudEvent: attributes });
    expect(await show('order-2')).to.deep.include({ publishedBy: 'api-key:1', cloudEvent: null });
  });

  it('has neither where a producer has appended it without them', async () => {
    const { stream, event } = newFlowEvent({ id: 'order-3', type: 't', data: 3 }, options);
    await store.append(stream, [{ ...event, metadata: {} }]);
    expect(await show('order-3')).to.include({ publishedBy: null, cloudEvent: null });
  });

  it('is handed over once the fan-out has passed it, and stays so when the queue has forgotten it', async () => {
    await publishFlowEvent(store, { id: 'order-1', type: 't', data: 1 }, options);
    expect(await show('order-1')).to.include({ handedOver: false });
    const { event, place } = await show('order-1');
    const { eventId, type } = event;
    const message = { orgId, type, eventId, position: place.position, publishedId: undefined, body: null };
    const messages = [{ ...message, recordedAt: now.getTime() }];
    await queue.enqueue({ ...emptyBatch, messages, checkpoint: { reader: fanOutReader, position: place.position } }, 1);
    expect(await show('order-1')).to.include({ handedOver: true });
    await queue.forget({ of: 'flowEvents', before: now.getTime() + 1, limit: 10, now: now.getTime() + 2 });
    expect((await queue.events({ orgId, eventId }))[0]).to.equal(undefined);
    expect(await show('order-1')).to.include({ handedOver: true });
  });
});
