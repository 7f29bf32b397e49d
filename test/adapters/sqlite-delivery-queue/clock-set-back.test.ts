import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/deliveries/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { batchOf, failed, leaseRequest, succeeded, target } from '../../support/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const second = 1_000;
const hour = 3_600 * second;
const before = 100 * hour;
const back = before - hour;

describe('the delivery queue on SQLite when the wall clock is set back by an hour', () => {
  let directory: string;
  let queue: DeliveryQueue;

  beforeEach(() => {
    directory = temporaryDirectory();
    queue = openSqliteDeliveryQueue({ directory });
  });
  afterEach(() => queue.close());

  const lease = async (now: number) => (await queue.lease(leaseRequest({ now }))).deliveries;

  it('leases at once what was due, and what comes', async () => {
    await lease(before);
    await queue.enqueue(batchOf([target()], 2), before);
    expect((await lease(back)).length).to.equal(2);
    await queue.enqueue(batchOf([target()]), back + second);
    expect((await lease(back + second)).length).to.equal(1);
  });

  it('retries after as long as the retry was going to wait, and says when', async () => {
    await queue.enqueue(batchOf([target()]), before);
    const [delivery] = await lease(before);
    if (delivery) await queue.record([failed(delivery, before + 300 * second)], before);

    const waiting = await queue.lease(leaseRequest({ now: back }));
    expect(waiting).to.deep.equal({ deliveries: [], nextDueAt: back + 300 * second });
    const [listed] = await queue.list({ orgId: 'acme' });
    expect(listed?.dueAt).to.equal(back + 300 * second);
    expect(await lease(back + 299 * second)).to.deep.equal([]);
    expect(await lease(back + 300 * second)).to.have.length(1);
  });

  it('keeps to the schedule of what fails afterwards', async () => {
    await queue.enqueue(batchOf([target()]), before);
    const leased = await lease(before);
    await queue.record(
      leased.map((delivery) => failed(delivery, back + 5 * second)),
      back,
    );
    expect(await lease(back + 4 * second)).to.deep.equal([]);
    const again = await lease(back + 5 * second);
    expect(again).to.have.length(1);
    await queue.record(again.map(succeeded), back + 5 * second);
    expect(await queue.counts(back + 5 * second)).to.include({ waiting: 0, succeeded: 1 });
  });

  it('goes on from there after a restart: what was due is due, and what waits waits no longer than it was going to', async () => {
    const fromFanOut = (position: bigint) => ({ checkpoint: { reader: 'fan-out', position, term: 1n } });
    await queue.enqueue({ ...batchOf([target()]), ...fromFanOut(1n) }, before);
    const [delivery] = await lease(before);
    if (delivery) await queue.record([failed(delivery, before + 300 * second)], before);
    await queue.enqueue({ ...batchOf([target()], 2), ...fromFanOut(2n) }, back + second);
    await queue.close();
    queue = openSqliteDeliveryQueue({ directory });
    expect(await lease(back + 2 * second)).to.have.length(2);
    expect(await lease(back + 299 * second)).to.deep.equal([]);
    expect(await lease(back + 302 * second)).to.have.length(1);
  });

  it('keeps an open breaker open for as long as it was going to be', async () => {
    await queue.enqueue(batchOf([target()], 11), before);
    const leased = (await queue.lease(leaseRequest({ now: before, limit: 10 }))).deliveries;
    await queue.record(
      leased.map((delivery) => failed(delivery, before + 2 * hour)),
      before,
    );
    expect(await queue.lease(leaseRequest({ now: back }))).to.deep.equal({
      deliveries: [],
      nextDueAt: back + 30 * second,
    });
    expect(await lease(back + 30 * second)).to.have.length(1);
  });
});
