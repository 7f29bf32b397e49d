import { expect } from 'chai';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { feedCursors } from '../../src/admin/feed/cursor.js';
import { fanOutReader } from '../../src/deliveries/fan-out/partitions.js';
import { subscriptionProgress } from '../../src/mcp/progress.js';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from '../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('the cursor of a subscription in force', () => {
  const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
  const orgId = 'acme';
  const ofAgents = ['1', '2'].map((listenerId) => queuedListener({ listenerId, orgId }));
  let queue: DeliveryQueue;

  /** Hands over an event of the organisation to all its listeners, as the fan-out does. */
  async function handOver(position: bigint): Promise<void> {
    const { messages, ...batch } = batchOf(ofAgents, 1, `${position}`);
    const checkpoint = { reader: fanOutReader, position, ...(position > 1n && { follows: true as const }) };
    await queue.enqueue({ ...batch, messages: messages.map((each) => ({ ...each, position })), checkpoint }, 900);
  }

  async function reachedBy(listenerId: string): Promise<bigint | undefined> {
    const { cursor } = await subscriptionProgress({ queue, masterKeys: keys })(orgId, listenerId, null);
    return cursor === undefined ? undefined : feedCursors(keys, orgId).read(cursor).position;
  }

  const rowsWaiting = async (listenerId: string) =>
    (await queue.listeners({ orgId, listenerId, limit: 1 })).reduce((sum, { waiting }) => sum + waiting, 0);

  beforeEach(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    await handOver(1n);
    const { deliveries } = await queue.lease(leaseRequest({ limit: 2 }));
    await queue.record(deliveries.map(succeeded), 1_000); // listeners that the queue knows
  });
  afterEach(() => queue.close());

  it('is before a delivery that is in memory alone, and that of another subscription is not written for it', async () => {
    expect(await reachedBy('1')).to.equal(1n);
    await handOver(2n);
    expect(await reachedBy('1')).to.equal(1n);
    expect([await rowsWaiting('1'), await rowsWaiting('2')]).to.deep.equal([1, 0]);
  });
});
