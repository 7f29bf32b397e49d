import { expect } from 'chai';
import { heldSoFar, type ReleaseHeld, releaseHeld } from '../../../src/deliveries/queries/held-deliveries.js';
import type { DeliveryQuery, ListedDelivery } from '../../../src/queue/delivery-log.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';

const listener = { orgId: 'acme', listenerId: '11111111-1111-4111-8111-111111111111' };

/**
 * A queue that lists what is held, the latest first, and notes in which order it is made due. Its fan-out has come up to
 * everything, unless it is given how it comes: at each look at its checkpoint, how far it is and what it has held by then.
 */
function queueHolding(count: number, comes: { checkpoint: bigint | undefined; held: number }[] = []) {
  let held: string[] = [];
  let came = 0;
  function hold(upTo: number): void {
    for (; came < upTo; came += 1) held.unshift(String(came + 1).padStart(6, '0'));
  }
  hold(count);
  let looks = 0;
  const redelivered: string[] = [];
  const pageOf = ({ after, limit = 100 }: DeliveryQuery) =>
    held.filter((cursor) => after === undefined || cursor < after).slice(0, limit);
  const queue: Pick<DeliveryQueue, 'deliveries' | 'redeliver' | 'positions' | 'waiting'> = {
    waiting: async () => [],
    positions: async ([reader]) => {
      if (reader === 'fan-out-partitions') return new Map();
      expect(reader).to.equal('fan-out');
      const now = comes[Math.min(looks, comes.length - 1)];
      looks += 1;
      if (!now) return new Map([['fan-out', 1_000n]]);
      hold(now.held);
      return new Map([['fan-out', now.checkpoint]]);
    },
    deliveries: async (query) => {
      expect(query).to.deep.include({ ...listener, states: ['held'] });
      const page = pageOf(query);
      const deliveries = page.map((cursor) => ({ cursor }) as ListedDelivery);
      return { deliveries, next: page.length === query.limit ? page.at(-1) : undefined };
    },
    redeliver: async (query) => {
      const page = pageOf(query);
      held = held.filter((cursor) => !page.includes(cursor));
      redelivered.push(...page.reverse());
      return { redelivered: page.length, next: undefined };
    },
  };
  return { queue, redelivered, looks: () => looks };
}

const redeliverAll = { resumedAt: 10n, redeliver: true };
const onlyCount = { resumedAt: 10n, redeliver: false };

const settle = (
  queue: ReleaseHeld['queue'],
  asked: Parameters<typeof releaseHeld>[2],
  settings: Pick<ReleaseHeld, 'fanOutTimeoutMs'> = {},
) => releaseHeld({ queue, clock: () => 1, ...settings }, listener, asked);

describe('held deliveries of a resumed listener', () => {
  it('is counted, however much it is', async () => {
    for (const count of [0, 1, 999, 1_000, 2_500]) {
      const { held } = await settle(queueHolding(count).queue, onlyCount);
      expect(held).to.equal(count);
    }
  });

  it('becomes due once, the earliest flow event first, if requested', async () => {
    const { queue, redelivered } = queueHolding(2_500);
    expect(await settle(queue, redeliverAll)).to.deep.equal({ held: 0, redelivered: 2_500, moreMayCome: false });
    expect(redelivered).to.have.length(2_500);
    expect(redelivered).to.deep.equal([...redelivered].sort());
    expect(await settle(queue, redeliverAll)).to.include({ held: 0, redelivered: 0 });
  });

  it('includes what the fan-out has yet to hand over, for which it waits', async () => {
    const lagging = () => [
      { checkpoint: undefined, held: 0 },
      { checkpoint: 7n, held: 3 },
      { checkpoint: 9n, held: 5 }, // handed over, but the checkpoint stays behind
      { checkpoint: 10n, held: 5 },
    ];
    const first = queueHolding(0, lagging());
    expect(await settle(first.queue, redeliverAll)).to.deep.equal({ held: 0, redelivered: 5, moreMayCome: false });
    expect(first.redelivered).to.have.length(5);
    const second = queueHolding(0, lagging());
    expect(await settle(second.queue, onlyCount)).to.deep.equal({ held: 5, redelivered: 0, moreMayCome: false });
  });

  it('is the present number if the fan-out is too slow, and more may come', async () => {
    const { queue } = queueHolding(0, [
      { checkpoint: 5n, held: 2 },
      { checkpoint: 9n, held: 4 },
    ]);
    const inTime = { fanOutTimeoutMs: 120 };
    expect(await settle(queue, redeliverAll, inTime)).to.deep.equal({ held: 0, redelivered: 4, moreMayCome: true });
    expect(await settle(queue, onlyCount, inTime)).to.deep.equal({ held: 0, redelivered: 0, moreMayCome: true });
  });

  it('is counted before the resume, once the present flow events are handled or the wait ends', async () => {
    const storeUpTo = (position: bigint | undefined): Pick<EventStore, 'readAll'> => ({
      async *readAll() {
        if (position !== undefined) yield { position } as RecordedEvent;
      },
    });
    const coming = () => [
      { checkpoint: 7n, held: 3 },
      { checkpoint: 9n, held: 5 },
    ];
    const count = (position: bigint | undefined, fanOutTimeoutMs?: number) =>
      heldSoFar(
        { queue: queueHolding(2, coming()).queue, clock: () => 1, ...(fanOutTimeoutMs && { fanOutTimeoutMs }) },
        storeUpTo(position),
        listener,
      );
    expect(await count(9n)).to.equal(5);
    expect(await count(10n, 120)).to.equal(5);
    expect(await count(undefined)).to.equal(2);
  });

  it('waits for nothing where the listener was never paused', async () => {
    const { queue, looks } = queueHolding(0, [{ checkpoint: undefined, held: 0 }]);
    const asked = { resumedAt: undefined, redeliver: true };
    expect(await settle(queue, asked)).to.deep.equal({ held: 0, redelivered: 0, moreMayCome: false });
    expect(looks()).to.equal(0);
  });
});
