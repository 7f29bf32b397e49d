import { expect } from 'chai';
import { listenerHistory } from '../../../projections/listener-history.js';
import {
  type ExplainRequest,
  type ExplainSources,
  explainFlowEvent,
} from '../../../src/deliveries/explain/explain-flow-event.js';
import { explainedSummary } from '../../../src/deliveries/explain/explained-summary.js';
import { fanOutReader } from '../../../src/deliveries/fan-out/partitions.js';
import type { ListenerEvent } from '../../../src/events/listener-events.js';
import { publishedEventId } from '../../../src/flows/publish-flow-event.js';
import { ListenerNotFound } from '../../../src/listeners/listener.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/views/projection.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import {
  failing,
  paused,
  resumed,
  secretOf,
  secretRotated,
  subscribed,
  unsubscribed,
} from '../../listeners/fixtures.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { applyEvents } from '../../support/views/project-events.js';

const orgId = 'acme';
/** The last listener has the smallest ID: the order is not that of IDs. */
const listenerId = (number: number) => `${99 - number}`.padStart(8, '0').concat('-1111-4111-8111-111111111111');
const hookUrl = (number: number) => `https://hooks.example.com/${number}`;
const listener = (number: number) => ({ orgId, listenerId: listenerId(number), hookUrl: hookUrl(number) });
const failed = { since: '2026-01-01T00:00:00.000Z', failures: 20, percent: 50 };

/** Ten events each; a third of the listeners was removed before the flow event, a third is removed after it. */
const listeners = 30;
const happenedBefore = Array.from({ length: listeners }, (_, number): readonly ListenerEvent[] => [
  subscribed(listener(number)),
  paused({ ...listener(number), since: 0 }),
  resumed({ ...listener(number), since: 1 }),
  ...[2, 3, 4, 5, 6].map((version) =>
    secretRotated({ ...listener(number), since: 2, paused: false, secret: secretOf(version) }),
  ),
  failing({ ...listener(number), since: 2, failing: failed }),
  ...(number % 3 === 0 ? [unsubscribed({ ...listener(number), since: 2, reason: 'requested' })] : []),
]).flat();
const happenedAfter = Array.from({ length: listeners }, (_, number) => number)
  .filter((number) => number % 3 === 1)
  .map((number) => unsubscribed({ ...listener(number), since: 2, reason: 'requested' }));
const ofOthers = [subscribed({ ...listener(1), orgId: 'globex', listenerId: '77777777-1111-4111-8111-111111111111' })];
/** The first listener is registered again, under a new ID. */
const again = '88888888-1111-4111-8111-111111111111';
const registeredAgain = [subscribed({ ...listener(0), listenerId: again })];

describe('explaining a flow event', () => {
  let sources: ExplainSources;
  let documentsRead: number;
  const close: (() => Promise<void>)[] = [];

  before(async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const queue = openSqliteDeliveryQueue({ directory });
    const readModel = openSqliteReadModel({ directory });
    const build = await readModel.open(listenerHistory, buildName(listenerHistory, 'run-1'));
    await readModel.flip(listenerHistory, build.name);
    const events = [...happenedBefore, ...happenedAfter, ...ofOthers, ...registeredAgain];
    await applyEvents(build, listenerHistory, recordedListenerEvents(events, 1n));
    const event = { orgId, type: 'flow.completed', publishedId: 'order-1', recordedAt: undefined, body: null };
    const message = { ...event, eventId: publishedEventId(orgId, 'order-1'), position: BigInt(happenedBefore.length) };
    const checkpoint = { reader: fanOutReader, position: 10_000n };
    await queue.enqueue({ ...emptyBatch, messages: [message], checkpoint }, 1_000);
    const find: typeof readModel.find = async (...query) => {
      const found = await readModel.find(...query);
      documentsRead += found.length;
      return found;
    };
    const historyCaughtUp = () => Promise.resolve();
    sources = { store, queue, readModel: { ...readModel, find }, historyCaughtUp, clock: () => 2_000 };
    for (const each of [build, readModel, queue, store]) close.push(() => each.close());
  });
  after(async () => {
    for (const end of close) await end();
  });
  beforeEach(() => {
    documentsRead = 0;
  });

  const explain = (request: Partial<ExplainRequest>) =>
    explainFlowEvent(sources, { orgId, eventId: 'order-1', limit: 1_000, ...request });

  async function inPagesOf(limit: number, request: Partial<ExplainRequest> = {}) {
    const pages: Awaited<ReturnType<typeof explain>>[] = [];
    do pages.push(await explain({ ...request, limit, after: pages.at(-1)?.next }));
    while (pages.at(-1)?.next !== undefined);
    return pages;
  }

  it('has every listener that the organisation has or had, those that were removed too, in the order of registering', async () => {
    const { listeners: explained, next } = await explain({});
    expect(next).to.equal(undefined);
    expect(explained.map((each) => each.listenerId)).to.eql([
      ...Array.from({ length: listeners }, (_, number) => listenerId(number)),
      again,
    ]);
    const [removedBefore, removedAfter, active] = explained;
    expect(removedBefore).to.include({ outcome: 'not-subscribed' });
    expect(removedBefore?.because).to.match(/^the listener had been removed before/);
    expect(removedAfter).to.include({ outcome: 'purged', hookUrl: hookUrl(1) });
    expect(removedAfter?.details).to.include({ state: 'active' });
    expect(removedAfter?.details.removed).to.include({ reason: 'requested' });
    expect(active).to.include({ outcome: 'purged' });
    expect(explained.at(-1)?.because).to.match(/^the listener was subscribed later/);
  });

  it('names the flow event by its producer’s ID, however it was asked for', async () => {
    const eventId = publishedEventId(orgId, 'order-2');
    const data = { orgId, id: 'order-2', data: null };
    const { position } = await sources.store.append('flow-2', [{ id: eventId, type: 't', data, metadata: {} }]);
    const message = { orgId, type: 't', eventId, position, publishedId: undefined, recordedAt: undefined, body: null };
    await (sources.queue as DeliveryQueue).enqueue({ ...emptyBatch, messages: [message] }, 1_000);
    for (const asked of ['order-2', eventId]) {
      const { event } = explainedSummary(await explain({ eventId: asked, limit: 1 }), { byHookUrl: false });
      expect(event).to.include({ eventId: 'order-2', storeEventId: eventId });
    }
  });

  it('says the same page by page', async () => {
    const { listeners: whole } = await explain({});
    for (const limit of [1, 7, listeners + 1]) {
      const pages = await inPagesOf(limit);
      expect(pages.flatMap((page) => page.listeners)).to.eql(whole);
      expect(Math.max(...pages.map((page) => page.listeners.length))).to.equal(limit);
    }
  });

  it('reads the history of the listeners of a page only, however many the organisation has', async () => {
    const { next } = await explain({ limit: 3 });
    const ofThree = 3 * 10 + 3;
    expect(documentsRead).to.be.within(3 * 9, ofThree);
    documentsRead = 0;
    await explain({ limit: 3, after: next });
    expect(documentsRead).to.be.within(3 * 9, ofThree);
  });

  it('pages through all listeners of one listener, and refuses a listener that the organisation never had', async () => {
    const [first, second, ...rest] = await inPagesOf(1, { hookUrl: hookUrl(0) });
    expect(first?.listeners.map((each) => each.listenerId)).to.eql([listenerId(0)]);
    expect(second?.listeners.map((each) => each.listenerId)).to.eql([again]);
    expect(rest).to.eql([]);
    const { listeners: one } = await explain({ listenerId: again });
    expect(one.map((each) => each.listenerId)).to.eql([again]);
    for (const unknown of [
      { hookUrl: hookUrl(listeners) },
      { listenerId: '99999999-9999-4999-8999-999999999999' },
      { listenerId: listenerId(1), hookUrl: hookUrl(2) },
      { listenerId: '77777777-1111-4111-8111-111111111111' },
    ]) {
      expect(await rejection(explain(unknown))).to.be.instanceOf(ListenerNotFound);
    }
  });
});
