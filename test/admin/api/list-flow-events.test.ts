import { expect } from 'chai';
import { listFlowEventsRoute } from '../../../src/admin/api/contracts/flow-events.js';
import { type FlowEventRoutes, flowEventRoutes } from '../../../src/admin/api/flow-events.js';
import { adminApi } from '../../../src/admin/api/routing/admin-api.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const viewer = { actor: 'portal:ada', role: 'viewer', orgId: 'fat' } as const;

describe('the list of flow events', () => {
  let queue: DeliveryQueue;

  before(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const messages = Array.from({ length: 400 }, (_, index) => ({
      eventId: `event-${index}`,
      ...(index > 0 && { publishedId: `order-${index}` }),
      orgId: 'fat',
      type: 'flow.completed',
      position: BigInt(index),
      body: null,
      recordedAt: 900,
    }));
    await queue.enqueue({ ...emptyBatch, messages }, 900);
  });
  after(() => queue.close());

  it("has the producers' IDs of events that no listener wanted, and reads none of these from the event store", async () => {
    // Without an event store, a read of it fails.
    const api = adminApi(flowEventRoutes({ queue } as unknown as FlowEventRoutes));
    const { items, next } = await api.call(listFlowEventsRoute, { query: { orgId: 'fat', limit: '1000' } }, viewer);
    expect(next).to.equal(null);
    expect(items.map(({ eventId }) => eventId)).to.deep.equal([
      ...Array.from({ length: 399 }, (_, index) => `order-${399 - index}`),
      'event-0', // recorded by an earlier version: its ID is not known
    ]);
  });
});
