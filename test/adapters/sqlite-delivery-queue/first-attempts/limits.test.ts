import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import {
  batchOf,
  emptyBatch,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { comingAgain, type FirstAttempts, openFirstAttempts } from '../../../support/deliveries/first-attempts.js';

describe('limits of unwritten deliveries, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];
  let file: FirstAttempts['file'];

  beforeEach(async () => {
    listener = queuedListener();
    opened = await openFirstAttempts(listener);
    ({ queue, file } = opened);
  });

  afterEach(() => opened.close());

  it('is nothing of a listener that is paused, or has a rate', async () => {
    for (const fields of [{ paused: true }, { ratePerSecond: 5 }]) {
      const other = queuedListener({ ...fields, orgId: 'other' });
      await queue.enqueue({ ...emptyBatch, listeners: [other] }, 900);
      await queue.enqueue(comingAgain(batchOf([other])), 900);
      expect(
        (await file.deliveries({ orgId: 'other', listenerId: other.listenerId })).deliveries,
        JSON.stringify(fields),
      ).to.have.length(1);
    }
  });

  it('is nothing once a lease request names a rate', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 15)), 900);
    const { deliveries } = await queue.lease(leaseRequest({ ratePerSecond: 100 }));
    expect(deliveries).to.have.length(10);
    expect((await file.deliveries({ orgId: 'acme' })).deliveries).to.have.length(15);
  });

  it('is no delivery enqueued as held, and nothing of a batch with a replay', async () => {
    const { deliveries, ...batch } = batchOf([listener], 3);
    const [first, second, third] = deliveries;
    if (!first || !second || !third) throw new Error('expected three deliveries');
    const other = queuedListener();
    await queue.enqueue({ ...emptyBatch, listeners: [other] }, 900);
    const held = { ...second, listenerId: other.listenerId, held: true } as const;
    await queue.enqueue(comingAgain({ ...batch, listeners: [listener, other], deliveries: [first, held] }), 900);
    expect(await file.counts(900)).to.include({ waiting: 0, held: 1 });
    await queue.enqueue(comingAgain({ ...batch, deliveries: [{ ...third, replay: 'replay' }] }), 900);
    expect(await file.counts(900)).to.include({ waiting: 2, held: 1 });
  });

  it('is no more than 2,000 deliveries: a batch beyond them has all written', async () => {
    for (const [events, at] of [
      [1_500, 800],
      [1_000, 900],
    ] as const)
      expect(await queue.enqueue(comingAgain(batchOf([listener], events)), at)).to.deep.equal({ added: events });
    expect(await file.counts(900)).to.include({ waiting: 2_500 });
    const some = await queue.lease(leaseRequest({ limit: 2_100, perListener: 3_000 }));
    expect(some.deliveries).to.have.length(2_100);
    const others = await queue.lease(leaseRequest({ limit: 2_100, perListener: 3_000 }));
    const deliveries = [...some.deliveries, ...others.deliveries];
    expect(new Set(deliveries.map(({ id }) => id)).size).to.equal(2_500);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(2_500);
    expect(await file.counts(1_000)).to.include({ waiting: 0, succeeded: 2_500 });
    await queue.enqueue(comingAgain(batchOf([listener], 2_000)), 1_000);
    expect(await file.counts(1_000), 'there is capacity again').to.include({ waiting: 0 });
  });

  it('is no more than 4 Mi characters of bodies: a batch beyond them has all written', async () => {
    const { messages, ...batch } = comingAgain(batchOf([listener], 6));
    const body = 'x'.repeat(1_048_576);
    await queue.enqueue({ ...batch, messages: messages.map((each) => ({ ...each, body })) }, 900);
    expect(await file.counts(900)).to.include({ waiting: 6 });
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries.map(({ body }) => body.length)).to.deep.equal(messages.map(() => body.length));
    await queue.record(deliveries.map(succeeded), 1_000);
    expect(await file.counts(1_000)).to.include({ waiting: 0, succeeded: 6 });
  });
});
