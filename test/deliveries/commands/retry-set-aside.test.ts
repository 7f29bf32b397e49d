import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { type RetrySetAside, setAsideRetries } from '../../../src/deliveries/commands/retry-set-aside.js';
import { detailsIn, listenerCodec } from '../../../src/events/listener-events.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { SetAside } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore, JsonObject } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { sortable, open as stillOpen } from '../../../src/views/projection.js';
import { plainSubscription } from '../../listeners/fixtures.js';
import { emptyBatch, leaseRequest } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const details: ListenerPeriod = {
  listenerId: randomUUID(),
  orgId: 'acme',
  userId: 'ada',
  hookUrl: 'https://hooks.example.com/1',
  subscription: plainSubscription,
  secret: { keyGeneration: 'g1', version: 1, previous: null },
  failing: null,
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: sortable('0'),
  since: '',
  until: stillOpen,
};

describe('retrying events that were set aside', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  let askedFor: (readonly [orgId: string, position: bigint])[];

  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
    askedFor = [];
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });

  const retries = (fields: Partial<RetrySetAside> = {}) =>
    setAsideRetries({
      store,
      queue,
      clock: () => 900,
      registeredAt: async function* (orgId, position) {
        askedFor.push([orgId, position]);
        yield [details];
      },
      viewPassed: async () => undefined,
      ...fields,
    });

  /** Sets an event of the store aside, as a release would have done that could not decode it. */
  async function setAside(
    data: JsonObject = { orgId: 'acme', n: 1 },
    { stream = `flow-${randomUUID()}`, type = 'flow.completed' } = {},
  ): Promise<SetAside> {
    const { position, revision } = await store.append(stream, [{ id: randomUUID(), type, data, metadata: {} }]);
    const aside = { position, revision, stream, type, reason: 'an older release did not know it' };
    await queue.enqueue({ ...emptyBatch, setAside: [aside] }, 800);
    return aside;
  }

  const waiting = async () => (await queue.lease(leaseRequest())).deliveries;

  it('hands them to the listeners that were registered at their position, and moves no checkpoint', async () => {
    const aside = await setAside();
    const retried = await retries().one(aside);
    expect(retried).to.deep.include({ stream: aside.stream, outcome: 'handed-over', deliveries: 1 });
    expect(askedFor).to.eql([['acme', aside.position]]);
    const [delivery] = await waiting();
    expect(delivery).to.include({ listenerId: details.listenerId, hookUrl: details.hookUrl });
    expect(JSON.parse(delivery?.body ?? '')).to.deep.include({ type: 'flow.completed', data: { n: 1 } });
    expect(await queue.setAside()).to.eql([]);
    expect(await positionOf(queue, 'fan-out')).to.equal(undefined);
  });

  it('settles an event that no listener wants', async () => {
    const aside = await setAside({ orgId: 'acme' }, { type: 'other' });
    expect(await retries().one(aside)).to.include({ outcome: 'handed-over', deliveries: 0 });
    expect(await queue.setAside()).to.eql([]);
  });

  it('continues a retry that was interrupted between the deliveries and the list, and adds nothing twice', async () => {
    const aside = await setAside();
    const dying: DeliveryQueue = {
      ...queue,
      enqueue: (batch, now) =>
        batch.setAsideChanges ? Promise.reject(new StoreUnavailable('killed')) : queue.enqueue(batch, now),
    };
    expect(await rejection(retries({ queue: dying }).one(aside))).to.include({ code: 'store_unavailable' });
    expect(await queue.setAside()).to.have.length(1);

    expect(await retries().one(aside)).to.include({ outcome: 'handed-over', deliveries: 0 });
    expect(await queue.setAside()).to.eql([]);
    expect(await waiting()).to.have.length(1);
  });

  it('does no harm when two do it at once', async () => {
    for (let n = 0; n < 5; n += 1) await setAside({ orgId: 'acme', n });
    await Promise.all([retries().page({ limit: 100 }), retries().page({ limit: 100 })]);
    expect(await queue.setAside()).to.eql([]);
    expect(await waiting()).to.have.length(5);
  });

  it('keeps events that still cannot be decoded, with the newest reason, and continues with the next', async () => {
    await setAside({ n: 1 });
    await setAside({ orgId: 'acme', n: 2 });
    const [first, second] = await retries().page({ limit: 100 });
    expect(first).to.include({ outcome: 'set-aside' });
    expect(second).to.include({ outcome: 'handed-over', deliveries: 1 });
    const [left, ...others] = await queue.setAside();
    expect(left?.reason).to.match(/no orgId/);
    expect(others).to.eql([]);
  });

  it('leaves events of another organisation than that of their stream', async () => {
    const stream = 'flow-shared';
    await store.append(stream, [{ id: randomUUID(), type: 'flow.a', data: { orgId: 'globex' }, metadata: {} }]);
    const retried = await retries().one(await setAside({ orgId: 'acme' }, { stream }));
    expect(retried).to.include({ outcome: 'set-aside' });
    expect(await waiting()).to.eql([]);
  });

  it('says so where the event is gone', async () => {
    const gone = { position: 7n, revision: 3n, stream: 'flow-gone', type: 'flow.a', reason: 'odd' };
    await queue.enqueue({ ...emptyBatch, setAside: [gone] }, 800);
    const retried = await retries().one(gone);
    expect(retried).to.include({ outcome: 'set-aside' });
    expect(retried.reason).to.match(/no longer in the event store/);
  });

  it('closes the gate of a listener whose removal could not be decoded', async () => {
    const { listenerId } = details;
    const ended = listenerCodec.encode(
      { type: 'ListenerUnsubscribed', data: { ...detailsIn(details), reason: 'requested', since: '0' } },
      { actor: 'test', correlationId: 'test' },
      new Date(),
    );
    await retries().one(await setAside());
    const aside = await setAside(ended.data, { stream: `listener-${listenerId}`, type: ended.type });
    expect(await retries().one(aside)).to.include({ outcome: 'handed-over' });
    expect(await queue.closedGates([listenerId])).to.eql(new Set([listenerId]));
    expect(await waiting()).to.eql([]);
  });

  it('cancels the waiting deliveries of a replay whose end could not be decoded', async () => {
    const replay = randomUUID();
    const { listenerId, orgId } = details;
    const aside = await setAside();
    await retries().one(aside);
    const [delivery] = await waiting();
    const again = {
      id: 'again',
      webhookId: 'again',
      orgId,
      listenerId,
      replay,
      eventId: delivery?.eventId ?? '',
    };
    await queue.enqueue({ ...emptyBatch, deliveries: [again] }, 900);
    const data = {
      replayId: replay,
      orgId,
      listenerId,
      from: null,
      to: null,
      type: null,
      event: null,
      ratePerSecond: 1,
      startedAt: new Date(0).toISOString(),
      lookedAt: 1,
      enqueued: 1,
      share: 1,
      reached: null,
      reason: 'requested',
    };
    const ended = await setAside(data, { stream: `replay-${replay}`, type: 'ReplayCancelled' });
    expect(await retries().one(ended)).to.include({ outcome: 'handed-over' });
    expect(await queue.counts(900)).to.include({ cancelled: 1 });
  });

  it('takes pages in the order of the positions', async () => {
    const all = [await setAside(), await setAside({ n: 'stays' }), await setAside()];
    const first = await retries().page({ limit: 2 });
    expect(first.map(({ position }) => position)).to.eql(all.slice(0, 2).map(({ position }) => position));
    const rest = await retries().page({ limit: 2, after: first.at(-1)?.position });
    expect(rest.map(({ position }) => position)).to.eql(all.slice(2).map(({ position }) => position));
  });

  it('knows nothing of an event that is not set aside', async () => {
    expect(await rejection(retries().one({ stream: 'flow-x', revision: 0n }))).to.include({ code: 'not_set_aside' });
  });

  it('leaves all as it was where the listeners view has stopped', async () => {
    await store.append('listener-x', [{ id: randomUUID(), type: 'odd', data: {}, metadata: {} }]);
    const aside = await setAside();
    const stopped = new StoreUnavailable('the view listeners is not followed any more');
    const failure = await rejection(retries({ viewPassed: () => Promise.reject(stopped) }).one(aside));
    expect(failure).to.equal(stopped);
    expect(await queue.setAside()).to.eql([aside]);
  });
});
