import { expect } from 'chai';
import { StoreUnusable } from '../../src/kernel/store-errors.js';
import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { positionOf } from '../../src/queue/reader-positions.js';
import type { Copied } from '../../src/store-copy/copy-store.js';
import { CopyDiffers, CopyRefused } from '../../src/store-copy/errors.js';
import type { EventStore, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import type { MongoDatabase } from '../../src/stores/mongodb/mongodb-database.js';
import { type StoreOnDouble, storeOnDouble } from '../stores/event-store/eventstoredb/support.js';
import { daysOf } from '../support/deliveries/days-of.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../support/deliveries/delivery-batches.js';
import { logOf } from '../support/deliveries/log-of.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { rejection } from '../support/rejection.js';
import { copy, type Embedded, embeddedStore, newEvent, targetOn } from './support.js';

const failureOf = async (promise: Promise<unknown>): Promise<Error> => (await rejection(promise)) as Error; // nothing else is thrown

onMongoDb('copying an embedded store', (mongoDb) => {
  describe('a copy of an embedded store', () => {
    let embedded: Embedded;
    let other: StoreOnDouble;
    let database: MongoDatabase;

    beforeEach(async () => {
      embedded = embeddedStore();
      other = await storeOnDouble();
      database = mongoDb.database(crypto.randomUUID());
    });
    afterEach(async () => {
      await embedded.close();
      await other.close();
    });

    const copyIt = (events: EventStore = other.store) => copy(embedded, targetOn(events, database));

    async function all(events: EventStore): Promise<readonly RecordedEvent[]> {
      const found: RecordedEvent[] = [];
      for await (const event of events.readAll()) found.push(event);
      return found;
    }

    /** Three streams that take turns; gives the positions of the events. */
    async function writeHistory(): Promise<readonly bigint[]> {
      for (let round = 0; round < 4; round += 1) {
        await embedded.events.append('listener-a', [newEvent({ type: 'ListenerChanged' })]);
        await embedded.events.append('flow-b', [newEvent(), newEvent({ metadata: {} })]);
        await embedded.events.append(`flow-c${round}`, [newEvent()]);
      }
      return (await all(embedded.events)).map(({ position }) => position);
    }

    const places = (events: readonly RecordedEvent[]) =>
      events.map(({ id, stream, revision, type, data }) => ({ id, stream, revision, type, data }));

    it('has the same events in the same order, and knows when each was taken', async () => {
      await writeHistory();
      const { events, streams, digest } = (await copyIt()) as Copied;
      expect({ events, streams }).to.eql({ events: 16, streams: 6 });
      expect(digest).to.match(/^[\w-]{43}$/);
      const [originals, copies] = [await all(embedded.events), await all(other.store)];
      expect(places(copies)).to.eql(places(originals));
      for (const [index, { metadata, created }] of originals.entries()) {
        const taken = { recordedAt: created.toISOString() };
        expect(copies[index]?.metadata).to.eql(Object.keys(metadata as object).length > 0 ? metadata : taken);
      }
    });

    it('of an empty store is an empty store', async () => {
      expect(await copyIt()).to.deep.include({ events: 0, streams: 0 });
      expect(await all(other.store)).to.eql([]);
    });

    it('has the queue as it stands, in every state, at the places that its events have now', async () => {
      const positions = await writeHistory();
      const at = (index: number) => positions[index] ?? -1n;
      const listener = queuedListener({ position: at(0), secretVersion: 2 });
      const gone = queuedListener({ position: at(4) });
      const batch = batchOf([listener], 4);
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const messages = batch.messages.map((message, index) => ({
        ...message,
        position: at(index + 1),
        ...(index === 3 && { traceparent }),
      }));
      const aside = { position: at(6), stream: 'flow-b', revision: 3n, type: 'flow.done', reason: 'no orgId' };
      const checkpoint = { reader: 'fan-out', position: at(13) };
      await embedded.queue.enqueue({ ...batch, messages, setAside: [aside], checkpoint }, 900);
      const { deliveries } = await embedded.queue.lease(leaseRequest({ limit: 3 }));
      const [one, two, three] = deliveries;
      if (!one || !two || !three) throw new Error('three were due');
      await embedded.queue.record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_010);
      await embedded.queue.enqueue({ ...batchOf([gone], 2), ended: [gone.listenerId, 'never-delivered'] }, 950);

      await copyIt();
      const copies = await all(other.store);
      const queue = await openMongoDeliveryQueue(database);
      expect(await queue.counts(900)).to.deep.equal(await embedded.queue.counts(900));
      const sorted = async (from: typeof queue) =>
        (await from.deliveries({ orgId: 'acme' })).deliveries
          .map(({ cursor: _, ...record }) => record) // which is each queue's own
          .sort((a, b) => a.id.localeCompare(b.id));
      expect(await sorted(queue)).to.deep.equal(await sorted(embedded.queue));
      expect((await queue.deliveries({ orgId: 'acme', eventId: one.eventId })).deliveries).to.have.length(1);
      expect(await logOf(queue, 'acme', two.id)).to.have.length(1);
      expect(await logOf(queue, 'acme', two.id)).to.deep.equal(await logOf(embedded.queue, 'acme', two.id));
      const day = { orgId: 'acme', from: '1970-01-01', to: '1970-01-01' };
      expect(await daysOf(queue, day)).to.deep.equal(await daysOf(embedded.queue, day));
      const halfHours = { orgId: 'acme', listenerId: one.listenerId, from: 0, to: 3_600_000 };
      const ofHalfHours = await embedded.queue.statistics({ by: 'half hour', ...halfHours });
      expect(ofHalfHours).to.have.length(1);
      expect(await queue.statistics({ by: 'half hour', ...halfHours })).to.deep.equal(ofHalfHours);
      const healthIn = async (from: typeof queue) =>
        (await from.listenerStates([listener.listenerId])).get(listener.listenerId)?.health;
      expect((await healthIn(queue))?.failing).to.deep.equal((await healthIn(embedded.queue))?.failing);
      expect(await queue.closedGates([listener.listenerId, gone.listenerId, 'never-delivered'])).to.deep.equal(
        new Set([gone.listenerId, 'never-delivered']),
      );
      expect(await positionOf(queue, 'fan-out')).to.equal(copies[13]?.position);
      expect(await database.db.collection('queue.setAside').find().toArray()).to.deep.equal([
        { _id: copies[6]?.position, stream: 'flow-b', revision: 3n, type: 'flow.done', reason: 'no orgId' },
      ]);

      const { deliveries: due, nextDueAt } = await queue.lease(leaseRequest({ now: 1_020 }));
      expect(due).to.have.length(1);
      expect(due[0]).to.deep.include({
        attempt: 1,
        enqueuedAt: 900,
        recordedAt: 803,
        traceparent,
        secret: listener.secret,
        hookUrl: listener.hookUrl,
      });
      expect(nextDueAt).to.equal(6_000);
      const [retried] = (await queue.lease(leaseRequest({ now: 6_000 }))).deliveries;
      expect(retried).to.deep.include({ id: two.id, attempt: 2, body: two.body, webhookId: two.webhookId });

      await queue.record(retried ? [released(retried)] : [], 6_000);
      // A listener event of later than the copied one still replaces it.
      const rotated = queuedListener({
        listenerId: listener.listenerId,
        position: copies[15]?.position ?? -1n,
        secretVersion: 3,
      });
      await queue.enqueue({ ...emptyBatch, listeners: [rotated] }, 6_000);
      const next = await queue.lease(leaseRequest({ now: 1_000_000 }));
      expect(next.deliveries[0]?.secret.version).to.equal(3);
      await queue.close();
    });

    it('continues after any of its appends, with the same result', async () => {
      await writeHistory();
      const end = new Error('it died');
      const copies: string[][] = [];
      const dyingAfterOne = (): EventStore => {
        let appended = 0;
        return {
          ...other.store,
          append: (...args) => (appended++ === 0 ? other.store.append(...args) : Promise.reject(end)),
        };
      };
      const ends = async () => {
        const outcome = await copyIt(dyingAfterOne()).catch((error: unknown) => error);
        copies.push((await all(other.store)).map(({ id }) => id));
        return outcome !== end;
      };
      while (!(await ends()));
      const originals = (await all(embedded.events)).map(({ id }) => id);
      expect(copies).to.have.length(12);
      for (const copied of copies) expect(copied).to.eql(originals.slice(0, copied.length));
      expect(places(await all(other.store))).to.eql(places(await all(embedded.events)));
    });

    it('continues with the changes of its source since the interruption', async () => {
      await writeHistory();
      const batch = batchOf([queuedListener()], 3);
      const position = (await embedded.events.head()) - 1n;
      const aside = { position, stream: 'flow-b', revision: 1n, type: 'flow.done', reason: 'no orgId' };
      await embedded.queue.enqueue({ ...batch, setAside: [aside] }, 900);
      const end = new Error('it died');
      const { queue, ...rest } = targetOn(other.store, database);
      const dying = async () => ({
        ...(await queue()),
        checkpoints: { ...(await queue()).checkpoints, count: () => Promise.reject(end) },
      });
      expect(await rejection(copy(embedded, { ...rest, queue: dying }))).to.equal(end);
      expect(await rejection(openMongoDeliveryQueue(database))).to.be.instanceOf(StoreUnusable);

      const { deliveries } = await embedded.queue.lease(leaseRequest({ limit: 2 }));
      await embedded.queue.record(deliveries.map(succeeded), 1_000);
      await embedded.queue.enqueue({ ...emptyBatch, setAsideChanges: [{ position }] }, Date.now());
      await embedded.events.append('flow-later', [newEvent()]);
      await copyIt();
      const copied = await openMongoDeliveryQueue(database);
      expect(await copied.counts(900)).to.deep.equal(await embedded.queue.counts(900));
      expect(await copied.counts(900)).to.include({ waiting: 1, succeeded: 2, setAside: 0 });
      await copied.close();
    });

    it('is refused if its source has deleted a stream since an earlier copy', async () => {
      await writeHistory();
      const end = new Error('it died');
      const { queue: _, ...rest } = targetOn(other.store, database);
      expect(await rejection(copy(embedded, { ...rest, queue: () => Promise.reject(end) }))).to.equal(end);
      await embedded.events.deleteStream('listener-a');
      await embedded.events.append('listener-a', [newEvent({ type: 'ListenerChanged' })]); // it has come back
      const refusal = await failureOf(copyIt());
      expect(refusal).to.be.instanceOf(CopyRefused);
      expect(refusal.message).to.match(
        /^the source has deleted listener-a since an earlier copy: .* into an empty EventStoreDB/,
      );
      expect(await rejection(openMongoDeliveryQueue(database))).to.be.instanceOf(StoreUnusable);

      const empty = await storeOnDouble();
      const fresh = mongoDb.database(crypto.randomUUID());
      await copy(embedded, targetOn(empty.store, fresh));
      expect(places(await all(empty.store))).to.eql(places(await all(embedded.events)));
      await empty.close();
    });

    it('continues if its source has deleted only events that no earlier copy has', async () => {
      await writeHistory();
      let appended = 0;
      const end = new Error('it died');
      const append: EventStore['append'] = (...args) =>
        appended++ < 4 ? other.store.append(...args) : Promise.reject(end);
      expect(await rejection(copyIt({ ...other.store, append }))).to.equal(end);
      await embedded.events.deleteStream('flow-c3');
      await copyIt();
      expect(places(await all(other.store))).to.eql(places(await all(embedded.events)));
    });

    it('is made once: it changes nothing that a service has written since, and refuses if the source has changed', async () => {
      await writeHistory();
      await copyIt();
      await other.store.append('flow-since', [newEvent()]);
      expect(await copyIt())
        .to.have.property('finishedAt')
        .that.is.an.instanceOf(Date);
      await embedded.events.append('flow-too', [newEvent()]);
      const refusal = await failureOf(copyIt());
      expect(refusal)
        .to.be.instanceOf(CopyRefused)
        .with.property('message')
        .that.matches(/ended at .* has changed since/);
    });

    it('is refused if the target has foreign events, and does not change the database', async () => {
      await writeHistory();
      await other.store.append('flow-b', [newEvent()]);
      const refusal = await failureOf(copyIt());
      expect(refusal).to.be.instanceOf(CopyRefused);
      expect(refusal.message).to.match(
        /^the target holds events that are not of this copy: where the source has the event/,
      );
      expect(await database.db.listCollections().toArray()).to.eql([]);
    });

    it('is refused where it would follow more events than it has', async () => {
      await other.store.append('flow-b', [newEvent()]);
      expect((await failureOf(copyIt())).message).to.match(
        /not of this copy: the copy has the event .* at revision 0 of flow-b/,
      );
    });

    it('is refused if the database is not empty', async () => {
      await database.db.collection('mine').insertOne({});
      expect((await failureOf(copyIt())).message).to.match(/not empty: its collection mine has documents/);
    });

    it('is refused if another process appends to its streams meanwhile', async () => {
      await writeHistory();
      const append: EventStore['append'] = async (stream, ...rest) => {
        if (stream === 'flow-c2') await other.store.append(stream, [newEvent()]);
        return other.store.append(stream, ...rest);
      };
      const refusal = await failureOf(copyIt({ ...other.store, append }));
      expect(refusal).to.be.instanceOf(CopyRefused);
      expect(refusal.message).to.match(/another process is writing the target: stream flow-c2/);
    });

    it('is refused for names that EventStoreDB keeps for itself', async () => {
      await embedded.events.append('flow-b', [newEvent({ type: '$secret' })]);
      expect((await failureOf(copyIt())).message).to.match(
        /reserves names that begin with \$: \$secret at revision 0 of flow-b/,
      );
    });

    it('is not taken for right where an event is another', async () => {
      await writeHistory();
      let reads = 0;
      async function* tampered(): AsyncGenerator<RecordedEvent> {
        reads += 1;
        for await (const event of other.store.readAll()) {
          yield reads === 2 && event.revision === 5n ? { ...event, data: { orgId: 'acme', text: 'other' } } : event;
        }
      }
      const failure = await failureOf(copyIt({ ...other.store, readAll: tampered }));
      expect(failure).to.be.instanceOf(CopyDiffers);
      expect(failure.message).to.match(/^the copy is wrong: the data of the event \S+ at revision 5 of flow-b differs/);
    });
  });
});
