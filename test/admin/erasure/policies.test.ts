import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { replays } from '../../../projections/replays.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { portalAccess } from '../../../src/access/portal/portal-access.js';
import { portalStream } from '../../../src/access/portal/portal-link.js';
import { sessionStream } from '../../../src/access/tokens/session.js';
import { flowRetention, portalRetention, sessionRetention } from '../../../src/admin/erasure/retention-policies.js';
import { type RetentionPolicy, retentionWalk } from '../../../src/admin/erasure/stream-retention.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { erasuresStream } from '../../../src/stores/event-store/erasure-events.js';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import type { EventStore, JsonObject } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/views/projection.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { began, day, facts, issued, later, limits, revoked, rotated } from '../../access/tokens/fixtures.js';
import { appendSessionEvent } from '../../audit/append-events.js';
import { newEvent } from '../../contract/event-store/support.js';
import { storeOnDouble, textsOf } from '../../stores/event-store/eventstoredb/support.js';
import {
  batchOf,
  emptyBatch,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

type Kept = {
  store: EventStore;
  /** Scavenges, where the store can be, and gives all that it holds. */
  whatIsLeft: () => Promise<readonly string[]>;
  close: () => Promise<void>;
};

const embedded = async (directory: string): Promise<Kept> => {
  const store = openSqliteEventStore({ directory });
  return {
    store,
    async whatIsLeft() {
      const events: string[] = [];
      for await (const { data, metadata } of store.readAll()) events.push(JSON.stringify([data, metadata]));
      return events;
    },
    close: () => store.close(),
  };
};

const inEventStoreDb = async (): Promise<Kept> => {
  const { store, double, close } = await storeOnDouble();
  return {
    store,
    close,
    async whatIsLeft() {
      double.scavenge();
      return textsOf(double).map(({ text }) => text);
    },
  };
};

for (const [name, open] of [
  ['the embedded store', embedded],
  ['EventStoreDB', inEventStoreDb],
] as const) {
  describe(`the streams that a retention deletes in ${name}`, () => {
    let kept: Kept;
    let store: EventStore;
    let queue: DeliveryQueue;
    let readModel: ReadModel;
    let now: number;

    beforeEach(async () => {
      const directory = temporaryDirectory();
      kept = await open(directory);
      store = kept.store;
      queue = openSqliteDeliveryQueue({ directory });
      readModel = openSqliteReadModel({ directory });
      now = began.getTime();
    });
    afterEach(async () => {
      for (const each of [readModel, queue, kept]) await each.close();
    });

    async function walk(policy: RetentionPolicy, retentionMs: number): Promise<void> {
      const step = retentionWalk({ store, ...policy, retentionMs, clock: () => now, pace: { recheckMs: 0 } });
      for (let steps = 0; steps < 3; steps += 1) await step();
    }

    async function isThere(stream: string): Promise<boolean> {
      try {
        for await (const _ of store.readStream(stream)) return true;
      } catch (error) {
        if (!(error instanceof StreamNotFound)) throw error;
      }
      return false;
    }

    describe('of flow streams', () => {
      const stream = 'flow-1';

      /** A flow event that is old, has been fanned out to one listener, and is `event-0` to the queue. */
      async function flowEvent(): Promise<void> {
        const recordedAt = new Date(now).toISOString();
        const event = newEvent({ orgId: 'acme' }, { recordedAt });
        const { position } = await store.append(stream, [event]);
        const batch = batchOf([queuedListener()], 1);
        const rename = <Row extends { eventId: string }>(row: Row): Row => ({
          ...{ ...row, eventId: event.id },
          terms: ['order-4711'],
        });
        const checkpoint = { reader: 'fan-out', position };
        await queue.enqueue(
          { ...batch, messages: batch.messages.map(rename), deliveries: batch.deliveries.map(rename), checkpoint },
          1_000,
        );
        now += day;
      }
      async function deliver(): Promise<void> {
        const { deliveries } = await queue.lease(leaseRequest());
        await queue.record(deliveries.map(succeeded), 1_000);
      }
      async function replaying(document: JsonObject | undefined): Promise<void> {
        const build = await readModel.open(replays, buildName(replays, 'run-1'));
        if (document) await build.apply([{ position: 1n, operations: [{ kind: 'put', key: 'r', document }] }], 1n);
        await build.close();
        await readModel.flip(replays, build.name);
      }
      const expire = () => walk(flowRetention({ store, queue, readModel, clock: Date.now }), day / 2);

      const found = () => queue.events({ orgId: 'acme', term: 'order-4711', limit: 1 });

      it('are those without another use', async () => {
        await replaying(undefined);
        await flowEvent();
        await deliver();
        await expire();
        expect(await isThere(stream)).to.equal(false);
        expect((await kept.whatIsLeft()).join()).not.to.include('acme');
        expect(await found()).to.deep.equal([]);
      });

      it('are not those of which a delivery waits', async () => {
        await replaying(undefined);
        await flowEvent();
        await expire();
        expect(await found()).to.have.length(1);
        expect(await isThere(stream)).to.equal(true);
      });

      it('are not those that the fan-out has not passed', async () => {
        await replaying(undefined);
        await store.append(stream, [newEvent({ orgId: 'acme' }, { recordedAt: new Date(now).toISOString() })]);
        now += day;
        await expire();
        expect(await isThere(stream)).to.equal(true);
      });

      it('are not those of which an event waits for the fan-out behind its checkpoint', async () => {
        await replaying(undefined);
        await flowEvent();
        await deliver();
        const position = (await positionOf(queue, 'fan-out')) ?? 0n;
        const waiting = [{ orgId: 'acme', position, stream, revision: 0n }];
        await queue.enqueue({ ...emptyBatch, checkpoint: { reader: 'fan-out', position, waiting } }, 1_000);
        await expire();
        expect(await isThere(stream)).to.equal(true);
      });

      it('are not those with an event that is set aside', async () => {
        await replaying(undefined);
        await flowEvent();
        await deliver();
        const setAside = [{ position: 0n, stream, revision: 0n, type: 'X', reason: 'bad' }];
        await queue.enqueue({ ...emptyBatch, setAside }, 1_000);
        await expire();
        expect(await isThere(stream)).to.equal(true);
      });

      it('are not those of an organisation that a replay runs for', async () => {
        await replaying({ orgId: 'acme', state: 'running', replayId: 'r' });
        await flowEvent();
        await deliver();
        await expire();
        expect(await isThere(stream)).to.equal(true);
      });
    });

    describe('of portal links', () => {
      it('are those whose expiry, or that of their session, is older than the retention', async () => {
        const grant = { orgId: 'acme', role: 'viewer', actor: 'portal:ada', sessionMs: 5 * day } as const;
        const someCause = (actor: string) => ({ actor, correlationId: 'test' });
        const access = portalAccess({
          store,
          masterKeys: masterKeys(new Map([['g1', randomBytes(32)]])),
          now: () => began,
        });
        const link = async () => access.findLink(await access.makeLink(grant, day, someCause('admin:backend')));
        const [unused, opened] = [await link(), await link()];
        if (opened) await access.beginSession(opened, someCause);
        const left = async (at: Date) => {
          now = at.getTime();
          await walk(portalRetention({ store, retentionMs: 10 * day, clock: () => now }), 10 * day);
          return Promise.all([unused, opened].map((each) => isThere(portalStream(each?.linkId ?? ''))));
        };
        expect(await left(later(10 * day))).to.deep.equal([true, true]);
        expect(await left(later(12 * day))).to.deep.equal([false, true]);
        expect(await left(later(16 * day))).to.deep.equal([false, false]);
      });
    });

    describe('of sessions', () => {
      const stream = sessionStream(facts.sessionId);
      const expire = () => walk(sessionRetention({ store, limits, retentionMs: 10 * day, clock: () => now }), 10 * day);

      it('are those whose revocation is older than the retention, and the deletion is recorded', async () => {
        await appendSessionEvent(store, issued(), { at: began });
        await appendSessionEvent(store, revoked('operator', { revokedAt: later(day) }), { at: later(day) });
        now = later(10 * day).getTime();
        await expire();
        expect(await isThere(stream)).to.equal(true);
        now = later(12 * day).getTime();
        await expire();
        expect(await isThere(stream)).to.equal(false);
        expect(await isThere(erasuresStream)).to.equal(true);
      });

      it('are those whose idle time ended before the retention, and not those that are only old', async () => {
        await appendSessionEvent(store, issued(), { at: began });
        await appendSessionEvent(store, rotated('first', 'second', { rotatedAt: later(50 * day).toISOString() }), {
          at: later(50 * day),
        });
        now = later(149 * day).getTime();
        await expire();
        expect(await isThere(stream)).to.equal(true);
        now = later(151 * day).getTime();
        await expire();
        expect(await isThere(stream)).to.equal(false);
        expect((await kept.whatIsLeft()).join()).not.to.include(facts.userId);
      });
    });
  });
}
