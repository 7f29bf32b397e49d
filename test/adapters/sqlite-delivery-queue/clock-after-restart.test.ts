import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, failed, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const second = 1_000;
const hour = 3_600 * second;
const before = 100 * hour;
const back = before - hour;

describe('the delivery queue on SQLite when the wall clock is set back by an hour and it is opened again', () => {
  let directory: string;
  let queue: DeliveryQueue;

  beforeEach(() => {
    directory = temporaryDirectory();
    queue = openSqliteDeliveryQueue({ directory });
  });
  afterEach(() => queue.close());

  const lease = async (now: number) => (await queue.lease(leaseRequest({ now }))).deliveries;

  it('continues by queue time: due deliveries are due, and waits do not become longer', async () => {
    const fromFanOut = (position: bigint) => ({ checkpoint: { reader: 'fan-out', position, term: 1n } });
    await queue.enqueue({ ...batchOf([queuedListener()]), ...fromFanOut(1n) }, before);
    const [delivery] = await lease(before);
    if (delivery) await queue.record([failed(delivery, before + 300 * second)], before);
    await queue.enqueue({ ...batchOf([queuedListener()], 2), ...fromFanOut(2n) }, back + second);
    await queue.close();
    queue = openSqliteDeliveryQueue({ directory });
    expect(await lease(back + 2 * second)).to.have.length(2);
    expect(await lease(back + 299 * second)).to.deep.equal([]);
    expect(await lease(back + 302 * second)).to.have.length(1);
  });
});
