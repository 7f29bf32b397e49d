import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { FanOutBatchBuilder } from '../../../src/deliveries/fan-out/fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent } from '../../../src/deliveries/fan-out/fan-out-event.js';
import { paceInTurns } from '../../../src/deliveries/fan-out/pace.js';
import type { ListenerEvent } from '../../../src/events/listener-events.js';
import type { FlowEvent } from '../../../src/flows/flow-event.js';
import type { SubscriptionChange } from '../../../src/listeners/changed-subscription.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import { open, sortable } from '../../../src/views/projection.js';
import {
  details,
  detailsWith,
  failing,
  firstId,
  nextId,
  paused,
  resumed,
  secretOf,
  secretRotated,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../../listeners/fixtures.js';
import { costlyData, costlyFilters } from '../../support/costly-filters.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { tickingClock, turnsDuring } from '../../support/turns-during.js';

const event: FlowEvent = {
  id: 'e1',
  eventId: randomUUID(),
  orgId: 'org-1',
  type: 'flow.done',
  flowId: 'f1',
  timestamp: '2026-01-01T00:00:00Z',
  recordedAt: '2026-01-02T03:04:05.678Z',
  data: {},
};
const recordedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const plainPeriod: ListenerPeriod = {
  ...details,
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: sortable(3n),
  since: '',
  until: open,
};
const period = (overrides: Partial<ListenerPeriod> & SubscriptionChange = {}): ListenerPeriod =>
  detailsWith(plainPeriod, overrides);

const matching = { handOver: async () => undefined, pace: paceInTurns() };

async function gathered(registered: readonly ListenerPeriod[]): Promise<FanOutBatch> {
  const part = new FanOutBatchBuilder();
  await gatherDeliveries(part, { event, position: 7n, registered: [registered] }, matching);
  return part.take();
}

/** Batch that the last of these events hands to the queue. */
function handedOver(...events: readonly ListenerEvent[]): FanOutBatch {
  const part = new FanOutBatchBuilder();
  const last = recordedListenerEvents(events, 5n).at(-1);
  if (last) gatherListenerEvent(part, last);
  return part.take();
}

describe('what a flow event hands to the queue', () => {
  it('is a delivery to each listener that wants it, with its order and rate, as its period began', async () => {
    const wanting = period({ ordered: true, ratePerSecond: 5 });
    const { listeners, deliveries } = await gathered([
      wanting,
      period({ listenerId: nextId, subscriptionType: 'other' }),
    ]);
    expect(deliveries.map(({ listenerId, held }) => [listenerId, held])).to.deep.equal([[firstId, undefined]]);
    expect(listeners).to.deep.equal([
      {
        listenerId: firstId,
        orgId: 'org-1',
        hookUrl: details.hookUrl,
        position: 3n,
        paused: false,
        subscription: wanting.subscription,
        secret: secretOf(1),
      },
    ]);
  });

  it('lets other work of the thread have its turn, however costly the filters of the listeners are', async () => {
    const registered = costlyFilters(100).map((filter) => period({ filter }));
    const part = new FanOutBatchBuilder();
    const gathering = { event: { ...event, data: costlyData }, position: 7n, registered: [registered] };
    const pace = paceInTurns(tickingClock());
    const turns = await turnsDuring(() => gatherDeliveries(part, gathering, { ...matching, pace }));
    expect(turns).to.be.at.least(90); // a few where no turn is given to other work
    expect(part.take().deliveries).to.deep.equal([]);
  });

  it('tells when the event was recorded, whatever time its producer gives', async () => {
    const { messages } = await gathered([period()]);
    expect(messages.map((message) => message.recordedAt)).to.deep.equal([recordedAt]);
  });

  it('is held for a listener that was paused then, with its body', async () => {
    const { messages, listeners, deliveries } = await gathered([period({ state: 'paused', pausedBy: 'operator' })]);
    expect(deliveries.map(({ listenerId, held }) => [listenerId, held])).to.deep.equal([[firstId, true]]);
    expect(listeners[0]).to.include({ paused: true, position: 3n });
    expect(messages[0]?.body).to.be.a('string');
  });

  it('is found by its ID, its flowId, and the values at the paths that its type declares', async () => {
    const data = {
      order: { number: 4711, email: 'ada@example.com', note: '', paid: true },
      lines: [{ sku: 'A' }, { sku: ['B', null, { sku: 'C' }] }, { sku: 'f1' }],
      long: 'x'.repeat(1_000),
      many: Array.from({ length: 1_000 }, (_, index) => `many-${index}`),
    };
    const termsOf = async (searchable: readonly string[], fields: Partial<FlowEvent> = {}) => {
      const part = new FanOutBatchBuilder();
      const gathering = { event: { ...event, data, ...fields }, position: 7n, registered: [], searchable };
      await gatherDeliveries(part, gathering, matching);
      return part.take().messages[0]?.terms;
    };
    const paths = ['number', 'email', 'note', 'paid'].map((name) => `data.order.${name}`);
    expect(await termsOf(paths)).to.deep.equal(['e1', 'f1', '4711', 'ada@example.com', 'true']);
    expect(await termsOf(['data.lines.sku', 'data.order', 'data.none'])).to.deep.equal(['e1', 'f1', 'A', 'B']);
    expect(await termsOf(['data.long'])).to.deep.equal(['e1', 'f1', 'x'.repeat(256)]);
    expect(await termsOf(['data.many'])).to.have.length(20);
    expect(await termsOf(paths, { isOperational: true }), 'an operational event').to.equal(undefined);
  });

  it("is the event alone, with the producer's ID and without a body, if no listener wants it", async () => {
    for (const registered of [[], [period({ subscriptionType: 'other' })]]) {
      const { eventId, orgId, type } = event;
      const batch = await gathered(registered);
      const terms = ['e1', 'f1'];
      const known = { eventId, publishedId: 'e1', orgId, type, position: 7n };
      expect(batch.messages).to.deep.equal([{ ...known, body: null, recordedAt, terms }]);
      expect([batch.listeners, batch.deliveries]).to.deep.equal([[], []]);
    }
  });
});

describe('what a listener event hands to the queue', () => {
  const previous = { keyGeneration: 'g1', version: 1, until: '2026-02-03T04:05:06.789Z' };
  const secret = secretOf(2, { previous });

  it('is the pause and the resume of a listener, at the position of the event', () => {
    const pausing = handedOver(subscribed(), paused({ since: 0 }));
    expect(pausing.listeners.map((queued) => [queued.paused, queued.position])).to.deep.equal([[true, 6n]]);
    const resuming = handedOver(subscribed(), paused({ since: 0 }), resumed({ since: 1 }));
    expect(resuming.listeners.map((queued) => [queued.paused, queued.position])).to.deep.equal([[false, 7n]]);
  });

  it('is the deliveries held before it, if the listener is resumed with them', () => {
    const told = handedOver(subscribed(), paused({ since: 0 }), resumed({ since: 1, redeliverHeld: true }));
    expect(told.released).to.deep.equal([{ listenerId: firstId, before: 7n }]);
    expect(handedOver(subscribed(), paused({ since: 0 }), resumed({ since: 1 })).released).to.deep.equal([]);
  });

  it('is another secret, with the one before while they overlap, of a listener that stays paused', () => {
    const rotated = secretRotated({ since: 0, paused: true, secret });
    const { listeners } = handedOver(subscribed(), rotated);
    expect(listeners[0]).to.deep.include({
      paused: true,
      position: 6n,
      secret,
    });
  });

  it('keeps an overlap through a pause', () => {
    const { listeners } = handedOver(subscribed(), paused({ since: 0, secret }));
    expect(listeners[0]?.secret.previous?.version).to.equal(1);
  });

  it('is another order and rate', () => {
    const changed = subscriptionChanged({ since: 0, from: {}, ordered: true, ratePerSecond: 5 });
    const [listener] = handedOver(subscribed(), changed).listeners;
    expect(listener).to.include({ paused: false, position: 6n });
    expect(listener?.subscription).to.include({ ordered: true, ratePerSecond: 5 });
  });

  it('is the order and rate that an operator changed, of a listener that stays active or paused', () => {
    const options = { ordered: true, ratePerSecond: 5 };
    const active = handedOver(subscribed(), subscriptionChanged({ since: 0, ...options }));
    expect(active.listeners[0]).to.include({ paused: false, position: 6n });
    expect(active.listeners[0]?.subscription).to.include(options);
    const changed = subscriptionChanged({ since: 1, paused: true, ...options });
    const stillPaused = handedOver(subscribed(), paused({ since: 0 }), changed);
    expect(stillPaused.listeners[0]).to.include({ paused: true, position: 7n });
    expect(stillPaused.listeners[0]?.subscription).to.include(options);
  });

  it('is a gate that closes', () => {
    const { ended, listeners } = handedOver(subscribed(), unsubscribed({ since: 0 }));
    expect([ended, listeners]).to.deep.equal([[firstId], []]);
  });

  it('is nothing of a listener that is new, or only fails', () => {
    const said = { since: '2026-01-01T00:00:00.000Z', failures: 20, percent: 50 };
    for (const history of [[subscribed()], [subscribed(), failing({ since: 0, failing: said })]]) {
      const { listeners, ended } = handedOver(...history);
      expect([listeners, ended]).to.deep.equal([[], []]);
    }
  });
});
