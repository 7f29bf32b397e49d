import { expect } from 'chai';
import { sendTestDelivery } from '../../../src/deliveries/commands/test-delivery.js';
import { queuedListenerOf } from '../../../src/deliveries/fan-out/queued-listener.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { details, detailsWith } from '../../listeners/fixtures.js';
import { batchOf, failed, leaseRequest, succeeded } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('a sample for a listener', () => {
  const ordered = detailsWith(details, { ordered: true });
  let queue: DeliveryQueue;

  beforeEach(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    await queue.enqueue(batchOf([queuedListenerOf(ordered, { paused: false, position: 1n })], 1, 'event'), 900);
  });
  afterEach(() => queue.close());

  const send = (waitMs: number, signal?: AbortSignal) =>
    sendTestDelivery({ queue, clock: () => 1_000, waitMs, ...(signal && { signal }) }, ordered);

  async function leased(now: number): Promise<LeasedDelivery> {
    let first: LeasedDelivery | undefined;
    await until(async () => {
      [first] = (await queue.lease(leaseRequest({ now }))).deliveries;
      return first !== undefined;
    }, 'a delivery to lease');
    if (!first) throw new Error('it was there');
    return first;
  }

  it('is cancelled where it has not been attempted in time', async () => {
    const head = await leased(1_000);
    expect(await send(60)).to.include({ state: 'cancelled', attempt: undefined });
    await queue.record([succeeded(head)], 1_000);
    expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
  });

  it('is cancelled if the caller disconnects', async () => {
    const head = await leased(1_000);
    const waiting = new AbortController();
    const sent = send(60_000, waiting.signal);
    waiting.abort();
    expect(await sent).to.include({ state: 'cancelled', attempt: undefined });
    await queue.record([succeeded(head)], 1_000);
    expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
  });

  it('is attempted once, even if it fails after the deadline for the answer, and delays nothing', async () => {
    const sent = send(60);
    const sample = await leased(1_000);
    const { deliveryId, state } = await sent;
    expect([sample.id, state]).to.deep.equal([deliveryId, 'cancelled']);
    await queue.record([failed(sample, 300_000)], 1_000);
    expect((await leased(1_000)).eventId).to.equal('event-0');
    expect((await queue.deliveries({ orgId: ordered.orgId, id: deliveryId })).deliveries[0]).to.include({
      state: 'cancelled',
      attempts: 1,
    });
  });

  it('is returned with its outcome if it ended after the time limit', async () => {
    const sent = send(60);
    const sample = await leased(1_000);
    const { deliveryId } = await sent;
    await queue.record([succeeded(sample)], 1_000);
    expect((await queue.deliveries({ orgId: ordered.orgId, id: deliveryId })).deliveries[0]).to.include({
      state: 'succeeded',
    });
  });
});
