import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import type { LeasedDelivery } from '../../../../src/queue/leasing.js';
import {
  batchOf,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { comingAgain, type FirstAttempts, openFirstAttempts } from '../../../support/deliveries/first-attempts.js';

describe('unwritten deliveries of an ordered listener, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];

  beforeEach(async () => {
    listener = queuedListener({ ordered: true });
    opened = await openFirstAttempts(listener);
    ({ queue } = opened);
  });
  afterEach(() => opened.close());

  /** Event 0, if `first` is 0, to the last of `count`. */
  const events = (first: number, count: number) => {
    const batch = batchOf([listener], count, `event-${first}`);
    const messages = batch.messages.map((each) => ({ ...each, position: BigInt(first) + each.position }));
    return comingAgain({ ...batch, messages });
  };
  const lease = async (now = 1_000): Promise<readonly LeasedDelivery[]> =>
    (await queue.lease(leaseRequest({ now }))).deliveries;
  const states = async () =>
    (await opened.file.deliveries({ orgId: 'acme' })).deliveries.map(({ state }) => state).reverse();
  const one = ([delivery]: readonly LeasedDelivery[]): LeasedDelivery => delivery as LeasedDelivery; // it was leased

  it('are attempted one after the other, each once the one before has its row', async () => {
    await queue.enqueue(events(0, 3), 900);
    for (let number = 0; number < 3; number += 1) {
      const deliveries = await lease();
      expect(deliveries.map(({ eventId }) => eventId)).to.deep.equal([`event-0-${number}`]);
      expect(await lease()).to.deep.equal([]);
      await queue.record(deliveries.map(succeeded), 1_000);
      expect(await states()).to.deep.equal(Array(number + 1).fill('succeeded'));
    }
  });

  it('have rows, with all that follow, once one has failed, and go on in order after its retry', async () => {
    await queue.enqueue(events(0, 2), 900);
    await queue.record([failed(one(await lease()), 5_000)], 1_000);
    expect(await states()).to.deep.equal(['waiting', 'waiting']);
    await queue.enqueue(events(2, 1), 1_100);
    expect(await states()).to.deep.equal(['waiting', 'waiting', 'waiting']);
    expect(await lease(4_999)).to.deep.equal([]);
    for (const eventId of ['event-0-0', 'event-0-1', 'event-2-0']) {
      const deliveries = await lease(5_000);
      expect(deliveries.map((each) => each.eventId)).to.deep.equal([eventId]);
      await queue.record(deliveries.map(succeeded), 5_000);
    }
    await queue.enqueue(events(3, 1), 6_000);
    expect(await states(), 'from memory again').to.have.length(3);
  });

  it('stay behind one that is under way and has been written, with what comes later', async () => {
    await queue.enqueue(events(0, 2), 900);
    const first = await lease();
    await queue.counts(1_000); // writes all
    await queue.enqueue(events(2, 1), 1_000);
    expect(await states()).to.deep.equal(['waiting', 'waiting', 'waiting']);
    expect(await lease()).to.deep.equal([]);
    await queue.record(first.map(succeeded), 1_000);
    expect((await lease()).map(({ eventId }) => eventId)).to.deep.equal(['event-0-1']);
  });

  it('are none of an event whose position is not after those before it', async () => {
    await queue.enqueue(events(5, 1), 900);
    await queue.enqueue(events(3, 1), 900);
    expect((await lease()).map(({ eventId }) => eventId)).to.deep.equal(['event-3-0']);
  });
});
