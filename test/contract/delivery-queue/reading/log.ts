import { expect } from 'chai';
import { InvalidRequest } from '../../../../src/kernel/domain-error.js';
import type { DeliveryQuery } from '../../../../src/queue/delivery-log.js';
import type { Outcome } from '../../../../src/queue/leasing.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import { logOf } from '../../../support/deliveries/log-of.js';
import { rejection } from '../../../support/rejection.js';
import type { QueueContext } from '../context.js';

export function logContract({ queue, leaseOne, reopen }: QueueContext): void {
  describe('the log', () => {
    it('lists the deliveries of one organisation, those of the latest events first', async () => {
      const ours = queuedListener();
      await queue().enqueue(batchOf([ours], 3, 'event'), 900);
      await queue().enqueue(batchOf([queuedListener({ orgId: 'globex' })]), 900);

      const listed = (await queue().deliveries({ orgId: 'acme' })).deliveries;
      expect(listed.map(({ eventId }) => eventId)).to.deep.equal(['event-2', 'event-1', 'event-0']);
      expect((await queue().deliveries({ orgId: 'acme', limit: 1 })).deliveries).to.have.length(1);
    });

    it('can be asked for one event and for one listener', async () => {
      const [one, two] = [queuedListener(), queuedListener()];
      await queue().enqueue(batchOf([one, two], 3, 'event'), 900);

      expect((await queue().deliveries({ orgId: 'acme', eventId: 'event-1' })).deliveries).to.have.length(2);
      expect((await queue().deliveries({ orgId: 'acme', listenerId: one.listenerId })).deliveries).to.have.length(3);
      const both = (await queue().deliveries({ orgId: 'acme', eventId: 'event-1', listenerId: two.listenerId }))
        .deliveries;
      expect(both.map(({ id }) => id)).to.deep.equal([`event-1/${two.listenerId}`]);
      expect((await queue().deliveries({ orgId: 'globex', listenerId: one.listenerId })).deliveries).to.deep.equal([]);
    });

    it('has the id that publisher and listeners know of a flow event, as long as anything of it is listed', async () => {
      const one = queuedListener();
      const batch = batchOf([one, queuedListener()], 1, 'event');
      await queue().enqueue(batch, 900);
      const idsListed = async () =>
        (await queue().deliveries({ orgId: 'acme' })).deliveries.map(({ publishedId }) => publishedId);
      expect(await idsListed()).to.deep.equal(['published-event-0', 'published-event-0']);
      const { deliveries } = await queue().lease(leaseRequest());
      await queue().record(
        deliveries.map((each) => (each.listenerId === one.listenerId ? succeeded(each) : failed(each, 9_000))),
        1_000,
      );
      await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 });
      await reopen();
      expect(await idsListed()).to.deep.equal(['published-event-0']);
    });

    it('has that id again if a purged or unwanted flow event is enqueued again', async () => {
      const purged = batchOf([queuedListener()], 1, 'purged');
      await queue().enqueue(purged, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 });
      const wanted = batchOf([queuedListener()], 1, 'wanted');
      const unwanted = wanted.messages.map(({ publishedId: _, ...each }) => ({ ...each, body: null }));
      await queue().enqueue({ ...emptyBatch, messages: unwanted }, 900);
      await queue().enqueue(wanted, 3_000);
      await queue().enqueue(purged, 3_000);
      const listed = (await queue().deliveries({ orgId: 'acme' })).deliveries;
      expect(listed.map(({ publishedId }) => publishedId)).to.have.members([
        'published-purged-0',
        'published-wanted-0',
      ]);
    });

    it('has no such id where it was not noted', async () => {
      const { messages, ...rest } = batchOf([queuedListener()]);
      await queue().enqueue({ ...rest, messages: messages.map(({ publishedId: _, ...each }) => each) }, 900);
      expect(
        (await queue().deliveries({ orgId: 'acme' })).deliveries.map(({ publishedId }) => publishedId),
      ).to.deep.equal([undefined]);
    });

    it('begins before a position', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 5, 'event'), 900);
      await queue().enqueue(batchOf([queuedListener({ orgId: 'globex' })], 9), 900);
      const listed = async (query: Partial<DeliveryQuery>) =>
        (await queue().deliveries({ orgId: 'acme', ...query })).deliveries.map(({ eventId }) => eventId);
      expect(await listed({ before: 2n })).to.deep.equal(['event-1', 'event-0']);
      expect(
        await listed({ before: 3n, listenerId: listener.listenerId, states: ['waiting'], limit: 2 }),
      ).to.deep.equal(['event-2', 'event-1']);
      expect(await listed({ before: 0n })).to.deep.equal([]);
    });

    it('continues after the last one of a page, in spite of later additions', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener, queuedListener()], 5, 'event'), 900);
      const pages: string[][] = [];
      for (let after: string | undefined; pages.length < 10; ) {
        const page = (await queue().deliveries({ orgId: 'acme', limit: 4, ...(after !== undefined && { after }) }))
          .deliveries;
        if (page.length === 0) break;
        pages.push(page.map(({ id }) => id));
        after = page.at(-1)?.cursor;
        const later = batchOf([listener]);
        await queue().enqueue({ ...later, messages: later.messages.map((each) => ({ ...each, position: 9n })) }, 900);
      }
      expect(pages.map(({ length }) => length)).to.deep.equal([4, 4, 2]);
      expect(new Set(pages.flat()).size).to.equal(10);
    });

    it('says where its next page begins, and with the last one that there is none', async () => {
      await queue().enqueue(batchOf([queuedListener(), queuedListener()], 5, 'event'), 900);
      for (const states of [undefined, ['waiting'], ['succeeded', 'waiting']] as const) {
        const ids: string[] = [];
        for (let after: string | undefined = ''; after !== undefined; ) {
          const page = await queue().deliveries({ orgId: 'acme', states, limit: 4, ...(after !== '' && { after }) });
          ids.push(...page.deliveries.map(({ id }) => id));
          after = page.next;
        }
        expect([ids.length, new Set(ids).size]).to.deep.equal([10, 10]);
      }
    });

    it('rejects a cursor of another list', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      for (const after of ['', 'zzz', '1', '1.', '.id', '9223372036854775808.id', '-9223372036854775809.1.1']) {
        const refused = await rejection(queue().deliveries({ orgId: 'acme', after }));
        expect(refused, after).to.be.instanceOf(InvalidRequest);
        expect(await rejection(queue().redeliver({ orgId: 'acme', after }, 1_000)), after).to.be.instanceOf(
          InvalidRequest,
        );
      }
      expect((await queue().deliveries({ orgId: 'acme', after: '9223372036854775807.1.1' })).deliveries).to.have.length(
        1,
      );
    });

    it('can be asked for states, for an id and for both', async () => {
      await queue().enqueue(batchOf([queuedListener(), queuedListener()], 2, 'event'), 900);
      const one = await leaseOne();
      await queue().record([succeeded(one)], 1_000);
      const two = await leaseOne();
      await queue().record([exhausted(two)], 1_000);

      const idsOf = async (query: Omit<DeliveryQuery, 'orgId'>) =>
        (await queue().deliveries({ orgId: 'acme', ...query })).deliveries.map(({ id }) => id);
      expect(await idsOf({ states: ['exhausted'] })).to.deep.equal([two.id]);
      expect(await idsOf({ states: ['exhausted', 'succeeded'] })).to.have.members([one.id, two.id]);
      expect(await idsOf({ states: ['waiting'] })).to.have.length(2);
      expect(await idsOf({ states: ['waiting', 'exhausted', 'held', 'cancelled'], limit: 2 })).to.have.length(2);
      expect(await idsOf({ states: [] })).to.deep.equal([]);
      expect(await idsOf({ states: ['exhausted'], listenerId: two.listenerId })).to.deep.equal([two.id]);
      expect(await idsOf({ id: one.id })).to.deep.equal([one.id]);
      expect(await idsOf({ id: one.id, states: ['exhausted'] })).to.deep.equal([]);
      expect((await queue().deliveries({ orgId: 'globex', id: one.id })).deliveries).to.deep.equal([]);
    });

    it('keeps the attempts at a delivery in order, with their results', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      const first = { startedAt: 1_000, durationMs: 12, error: 'connect_timeout' };
      const second = {
        startedAt: 2_000,
        durationMs: 7,
        status: 500,
        error: 'http_status',
        answer: 'no "luck"\nZürich 🎉',
      };
      const third = { startedAt: 3_000, durationMs: 5, status: 200, answer: '', address: '192.0.2.1' };
      const delivery = await leaseOne();
      await queue().record([failed(delivery, 2_000, { report: first })], 1_000);
      await queue().record([failed(await leaseOne(2_000), 3_000, { report: second })], 2_000);
      await queue().record([{ ...succeeded(await leaseOne(3_000)), report: third } as Outcome], 3_000);
      await reopen();
      expect(await logOf(queue(), 'acme', delivery.id)).to.deep.equal([first, second, third]);
      expect(await logOf(queue(), 'globex', delivery.id)).to.deep.equal([]);
      expect(await logOf(queue(), 'acme', 'another')).to.deep.equal([]);
    });

    it('lists attempts with one delivery, and with those of an event at a listener, and with no others', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 1, 'event'), 900);
      const report = { startedAt: 1_000, durationMs: 5, status: 500 };
      const leased = await leaseOne();
      const { id, listenerId } = leased;
      await queue().record([failed(leased, 2_000, { report })], 1_000);
      const logsOf = async (query: Omit<DeliveryQuery, 'orgId'>) =>
        (await queue().deliveries({ orgId: 'acme', ...query })).deliveries.map(({ log }) => log);
      expect(await logsOf({ id })).to.deep.equal([[report]]);
      expect(await logsOf({ eventId: 'event-0', listenerId })).to.deep.equal([[report]]);
      for (const query of [{}, { listenerId }, { eventId: 'event-0' }])
        expect(await logsOf(query), JSON.stringify(query)).to.deep.equal([undefined]);
    });

    it('keeps the latest hundred attempts, and of an answer the first bytes', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      for (let attempt = 1; attempt <= 103; attempt += 1) {
        const report = { startedAt: attempt, durationMs: 1, status: 400, answer: 'ü'.repeat(1_000) };
        await queue().record([failed(await leaseOne(), 0, { byListener: false, report })], 1_000);
      }
      const { id, attempt } = await leaseOne();
      expect(attempt).to.equal(104);
      const attempts = await logOf(queue(), 'acme', id);
      expect(attempts.map(({ startedAt }) => startedAt)).to.deep.equal(
        Array.from({ length: 100 }, (_, index) => index + 4),
      );
      expect(attempts[0]?.answer).to.equal('ü'.repeat(512));
    });
  });
}
