import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import pino from 'pino';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { flowRetention } from '../../../src/admin/erasure/retention-policies.js';
import { feedCursors } from '../../../src/admin/feed/cursor.js';
import { eventFeed } from '../../../src/admin/feed/feed.js';
import type { FeedItem } from '../../../src/admin/feed/page.js';
import { type TrialPage, trySubscription } from '../../../src/admin/feed/try-subscription.js';
import { fanOutBeginningReader } from '../../../src/deliveries/fan-out/fan-out-beginning.js';
import { fanOutReader } from '../../../src/deliveries/fan-out/partitions.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';

const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));

const anEvent = fc.record({
  isOwn: fc.constantFrom(true, true, false),
  type: fc.constantFrom('order.paid', 'refund.made'),
  isLarge: fc.boolean(),
  isDeleted: fc.boolean(),
});
type AnEvent = typeof anEvent extends fc.Arbitrary<infer Value> ? Value : never;

/** The queue has forgotten the first of those that were handed over. */
const aHistory = fc.record({
  recorded: fc.array(anEvent, { maxLength: 25 }),
  handedOver: fc.nat(25),
  forgotten: fc.nat(25),
  later: fc.array(fc.array(anEvent, { maxLength: 3 }), { maxLength: 5 }),
});

const aReader = fc.record({
  limits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 5 }),
  type: fc.constantFrom(null, 'order.*', 'refund.made'),
  filter: fc.constantFrom(null, '{"data.isLarge":true}'),
});
type Reader = typeof aReader extends fc.Arbitrary<infer Value> ? Value : never;

type Known = AnEvent & { recorded: RecordedEvent };

/** Stores of one run: the event store may have those of earlier ones. */
type OpenStores = () => Promise<{ store: EventStore; queue: DeliveryQueue; close: () => Promise<void> }>;

const organisationOf = ({ isOwn }: AnEvent, orgId: string): string => (isOwn ? orgId : `not-${orgId}`);

async function append(store: EventStore, events: readonly AnEvent[], orgId: string): Promise<readonly Known[]> {
  const known: Known[] = [];
  for (const event of events) {
    const id = randomUUID();
    const data = { orgId: organisationOf(event, orgId), data: { isLarge: event.isLarge } };
    await store.append(`flow-${id}`, [{ id, type: event.type, data, metadata: {} }]);
    for await (const recorded of store.readStream(`flow-${id}`)) known.push({ ...event, recorded });
  }
  return known;
}

async function givenHistory(
  { store, queue }: Awaited<ReturnType<OpenStores>>,
  { recorded, handedOver, forgotten }: typeof aHistory extends fc.Arbitrary<infer V> ? V : never,
) {
  const orgId = `acme-${randomUUID()}`;
  const known = await append(store, recorded, orgId);
  const before = known.slice(0, handedOver);
  const messages = before.map((event, index) => {
    const { id: eventId, type, position } = event.recorded;
    const recordedAt = index < forgotten ? 1_000 : 9_000;
    return { eventId, orgId: organisationOf(event, orgId), type, position, body: null, recordedAt };
  });
  const beginning = { reader: fanOutBeginningReader, position: -1n, term: 1n };
  await queue.enqueue({ ...emptyBatch, checkpoint: beginning }, 9_000);
  const reached = { reader: fanOutReader, position: before.at(-1)?.recorded.position ?? -1n, term: 1n };
  await queue.enqueue({ ...emptyBatch, messages, checkpoint: reached }, 9_000);
  await queue.forget({ of: 'flowEvents', before: 2_000, now: 9_000, limit: 100 });
  const readModel = undefined as never; // it deletes those that it is given
  const lasts = before.filter(({ isDeleted }) => isDeleted).map(({ recorded }) => recorded);
  if (lasts.length > 0) await flowRetention({ store, queue, readModel, clock: () => 9_000 }).erase(lasts);
  return { store, queue, known, orgId };
}

async function readAll(
  given: Awaited<ReturnType<typeof givenHistory>>,
  { limits, type, filter }: Reader,
  later: readonly (readonly AnEvent[])[],
) {
  const { store, queue, orgId } = given;
  const stopping = new AbortController();
  const log = pino({ enabled: false });
  const read = eventFeed({ store, queue, masterKeys: keys, maxFeedWaits: 1, log, stopping: stopping.signal });
  const cursors = feedCursors(keys, orgId);
  const items: FeedItem[] = [];
  const all = [...given.known];
  let after: string | undefined;
  for (let page = 0; ; page += 1) {
    const limit = limits[page % limits.length] ?? 1;
    const found = await read({ orgId, after, type, filter, limit, waitSeconds: 0 });
    expect(found.items.length).to.be.at.most(limit + 1); // a gap that comes first takes no place of an event
    items.push(...found.items);
    // From any item on as from the end of its page.
    const last = found.items.at(-1);
    after = cursors.write(page % 2 === 0 || !last ? found.place : last.place);
    const added = later[page];
    if (added) all.push(...(await append(store, added, orgId)));
    else if (found.items.length === 0 && !found.more) return { items, all };
  }
}

const selects = ({ type, filter }: Reader, event: AnEvent): boolean =>
  event.isOwn &&
  (type === null || (type === 'order.*' ? event.type === 'order.paid' : event.type === type)) &&
  (filter === null || event.isLarge);

/** Fails for refunds. */
async function transform({ body }: { body: string }) {
  return body.includes('refund.made')
    ? ({ kind: 'failed', reason: 'a refund' } as const)
    : ({ kind: 'done', body: '1' } as const);
}

const aTrial = fc.record({
  events: fc.integer({ min: 1, max: 6 }),
  subscriptionType: fc.constantFrom('*', 'order.*', 'refund.made'),
  filter: fc.constantFrom(null, '{"data.isLarge":true}'),
});

async function tryAll(
  { store, queue, orgId }: Awaited<ReturnType<typeof givenHistory>>,
  { events, ...selected }: typeof aTrial extends fc.Arbitrary<infer V> ? V : never,
  from: Date,
): Promise<readonly TrialPage[]> {
  const trial = { ...selected, orgId, from: from.toISOString(), transform: 'any', examples: 2 };
  const found: TrialPage[] = [];
  do {
    const after = found.at(-1)?.place;
    found.push(await trySubscription({ store, queue, transform }, trial, after, { events, bytes: 1e9, ms: 60_000 }));
  } while (found.at(-1)?.stoppedBy !== 'end');
  return found;
}

const sumOf = (found: readonly TrialPage[], outcome: 'sent' | 'dropped' | 'failed'): number =>
  found.reduce((sum, { counts }) => sum + counts[outcome], 0);

export const pagingSuite = (openStores: OpenStores, numRuns: number): void => {
  it('gives each of its events once, in order, and says which ones may be missing', () =>
    fc.assert(
      fc.asyncProperty(aHistory, aReader, async (history, reader) => {
        const stores = await openStores();
        try {
          const given = await givenHistory(stores, history);
          const { items, all } = await readAll(given, reader, history.later);
          const wasDeleted = (event: Known) =>
            event.isDeleted && given.known.indexOf(event) < history.handedOver && given.known.includes(event);
          const expected = all.filter((event) => selects(reader, event) && !wasDeleted(event));
          const events = items.flatMap((item) => (item.kind === 'event' ? [item.event.eventId] : []));
          expect(events).to.eql(expected.map(({ recorded }) => recorded.id));

          const missing = given.known.filter(
            (event) => wasDeleted(event) && selects({ ...reader, filter: null }, event),
          );
          const isForgotten = (event: Known) => given.known.indexOf(event) < history.forgotten;
          const counted = items.reduce((sum, item) => sum + (item.kind === 'gap' ? (item.events ?? 0) : 0), 0);
          expect(counted).to.equal(missing.filter((event) => !isForgotten(event)).length);
          const told = items.find((item) => item.kind === 'gap' && item.reason === 'retention');
          for (const { recorded } of missing.filter(isForgotten))
            expect(told)
              .to.have.property('upTo')
              .that.satisfies((upTo: bigint) => upTo >= recorded.position);
          const anyForgotten = given.known.some((event) => wasDeleted(event) && isForgotten(event));
          if (!given.known.some(wasDeleted)) expect(items.every(({ kind }) => kind === 'event')).to.equal(true);
          if (anyForgotten)
            expect(items.filter((item) => item.kind === 'gap' && item.reason === 'retention')).to.have.length(1);
        } finally {
          await stores.close();
        }
      }),
      { numRuns },
    ));
  it('counts the outcomes of each of its events once, and those that may be missing', () =>
    fc.assert(
      fc.asyncProperty(aHistory, aTrial, async (history, trial) => {
        const stores = await openStores();
        try {
          const given = await givenHistory(stores, history);
          const found = await tryAll(given, trial, new Date(0));
          const isDeleted = (event: Known, index: number) => event.isDeleted && index < history.handedOver;
          const ofType = given.known.filter(
            (event, index) =>
              !isDeleted(event, index) &&
              event.isOwn &&
              (trial.subscriptionType === '*' || trial.subscriptionType.startsWith(event.type.slice(0, 5))),
          );
          const selected = ofType.filter(({ isLarge }) => trial.filter === null || isLarge);
          const failed = selected.filter(({ type }) => type === 'refund.made').length;
          expect(sumOf(found, 'sent')).to.equal(selected.length - failed);
          expect(sumOf(found, 'failed')).to.equal(failed);
          expect(sumOf(found, 'dropped')).to.equal(ofType.length - selected.length);
          for (const { counts, examples } of found) {
            expect(counts.sent + counts.dropped + counts.failed).to.be.at.most(trial.events);
            for (const outcome of ['sent', 'dropped', 'failed'] as const)
              expect(examples.filter((each) => each.outcome === outcome)).to.have.length(Math.min(counts[outcome], 2));
          }
          const isMissing = given.known.some((event, index) => event.isOwn && isDeleted(event, index));
          const gaps = found.flatMap((page) => page.gaps);
          if (isMissing && trial.subscriptionType === '*') expect(gaps).not.to.eql([]);
          if (!given.known.some(isDeleted)) expect(gaps).to.eql([]);

          const later = await tryAll(given, trial, new Date(Date.now() + 86_400_000));
          expect(['sent', 'dropped', 'failed'].map((each) => sumOf(later, each as 'sent'))).to.eql([0, 0, 0]);
        } finally {
          await stores.close();
        }
      }),
      { numRuns },
    ));
};
