import { expect } from 'chai';
import type { DeliveryQuery, ListedDelivery } from '../../src/deliveries/delivery-log.js';
import type { DeliveryQueue } from '../../src/deliveries/delivery-queue.js';
import { countHeld, redeliverHeld } from '../../src/deliveries/held-deliveries.js';

const hook = { orgId: 'acme', listenerId: '11111111-1111-4111-8111-111111111111' };

/** A queue that lists what is held, the latest first, and notes in which order it is made due. */
function queueHolding(count: number) {
  let held = Array.from({ length: count }, (_, index) => String(count - index).padStart(6, '0'));
  const redelivered: string[] = [];
  const pageOf = ({ after, limit = 100 }: DeliveryQuery) =>
    held.filter((cursor) => after === undefined || cursor < after).slice(0, limit);
  const queue: Pick<DeliveryQueue, 'list' | 'redeliver'> = {
    list: async (query) => {
      expect(query).to.deep.include({ ...hook, states: ['held'] });
      return pageOf(query).map((cursor) => ({ cursor }) as ListedDelivery);
    },
    redeliver: async (query) => {
      const page = pageOf(query);
      held = held.filter((cursor) => !page.includes(cursor));
      redelivered.push(...page.reverse());
      return { redelivered: page.length, next: undefined };
    },
  };
  return { queue, redelivered };
}

describe('what is held of a hook', () => {
  it('is counted, however much it is', async () => {
    for (const count of [0, 1, 999, 1_000, 2_500]) {
      expect(await countHeld(queueHolding(count).queue, hook)).to.equal(count);
    }
  });

  it('is made due from the earliest flow event on, once', async () => {
    const { queue, redelivered } = queueHolding(2_500);
    expect(await redeliverHeld(queue, hook, () => 1)).to.equal(2_500);
    expect(redelivered).to.have.length(2_500);
    expect(redelivered).to.deep.equal([...redelivered].sort());
    expect(await redeliverHeld(queue, hook, () => 1)).to.equal(0);
  });
});
