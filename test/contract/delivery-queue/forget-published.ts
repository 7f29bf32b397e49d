import { expect } from 'chai';
import { forgottenReader, positionOf } from '../../../src/queue/reader-positions.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import {
  batchOf,
  emptyBatch,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function forgetPublishedContract({ queue, leaseOne, reopen }: QueueContext): void {
  const message = (eventId: string, position: bigint, recordedAt: number | undefined = 1_000) => ({
    eventId,
    orgId: 'acme',
    type: 'flow.completed',
    position,
    body: null,
    recordedAt,
  });
  const later = Date.now() + 86_400_000;

  /** Performs all steps of a walk; returns the number of events forgotten. */
  async function forget(before: number, { limit = 10, now = 5_000 } = {}): Promise<number> {
    let forgotten = 0;
    let after: string | undefined;
    do {
      const step = await queue().forget({ of: 'flowEvents', before, now, limit, after });
      expect(step.forgotten).to.be.at.most(limit);
      forgotten += step.forgotten;
      after = step.next;
    } while (after !== undefined);
    return forgotten;
  }

  describe('forgetting published ids', () => {
    it('forgets flow events of before that time, and says up to which position', async () => {
      const messages = [message('a', 3n, 1_000), message('b', 5n, 2_000), message('c', 7n, 3_000)];
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      expect(await positionOf(queue(), forgottenReader)).to.equal(undefined);
      expect(await forget(3_000)).to.equal(2);
      expect((await queue().events({ orgId: 'acme', eventId: 'b' }))[0]).to.equal(undefined);
      expect((await queue().events({ orgId: 'acme', eventId: 'c' }))[0]).to.include({ eventId: 'c' });
      await reopen();
      expect(await positionOf(queue(), forgottenReader)).to.equal(5n);
      expect(await forget(3_000)).to.equal(0);
    });

    it('keeps those with deliveries in any state, and forgets them after these', async () => {
      await queue().enqueue(batchOf([queuedListener()], 2, 'event'), 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      expect(await forget(later)).to.equal(0);
      await queue().forget({ of: 'deliveries', before: later, limit: 10 });
      expect(await forget(later)).to.equal(1);
      expect(await queue().counts(1_000)).to.include({ waiting: 1 });
    });

    it('goes step by step, past those that are kept', async () => {
      await queue().enqueue(batchOf([queuedListener()], 5, 'kept'), 900);
      const messages = Array.from({ length: 5 }, (_, index) => message(`old-${index}`, 10n + BigInt(index)));
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      expect(await forget(later, { limit: 2 })).to.equal(5);
      expect((await queue().events({ orgId: 'acme', eventId: 'kept-0' }))[0]).to.include({ eventId: 'kept-0' });
    });

    it('examines something in each step, however little time that has', async () => {
      const messages = Array.from({ length: 5 }, (_, index) => message(`old-${index}`, 10n + BigInt(index)));
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      let forgotten = 0;
      let after: string | undefined;
      do {
        const step = await queue().forget({
          of: 'flowEvents',
          before: later,
          now: later,
          limit: 2,
          withinMs: 0,
          after,
        });
        forgotten += step.forgotten;
        after = step.next;
      } while (after !== undefined);
      expect(forgotten).to.equal(5);
    });

    it('counts an event of an unknown time as recorded now', async () => {
      await queue().enqueue({ ...emptyBatch, messages: [{ ...message('a', 3n), recordedAt: undefined }] }, 900);
      expect(await forget(4_000, { now: 5_000 })).to.equal(0);
      expect(await forget(5_000, { now: 9_000 })).to.equal(0);
      expect(await forget(5_001, { now: 9_000 })).to.equal(1);
    });

    it('delivers an event once whose repeat is in the same batch', async () => {
      const batch = batchOf([queuedListener()], 1, 'event');
      const repeats = batch.messages.map((each) => ({ ...each, position: 20n, recordedAt: 2_000 }));
      const twice = {
        ...batch,
        messages: [...batch.messages, ...repeats],
        deliveries: [...batch.deliveries, ...batch.deliveries],
      };
      expect((await queue().enqueue(twice, 900)).added).to.equal(1);
      expect((await queue().enqueue(twice, 900)).added).to.equal(0);
      expect((await queue().lease(leaseRequest())).deliveries).to.have.length(1);
    });

    it('delivers a repeat of an id that it knows no second time, and of a forgotten one as a new event', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener], 1, 'event');
      await queue().enqueue(batch, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: later, limit: 10 });

      const again = {
        ...batch,
        messages: batch.messages.map((each) => ({ ...each, position: 20n, recordedAt: 2_000 })),
      };
      const other = { ...again, listeners: [queuedListener()] };
      const toOther = {
        ...other,
        deliveries: other.listeners.map(({ listenerId }) => ({
          id: `other/${listenerId}`,
          webhookId: `other/${listenerId}`,
          orgId: 'acme',
          eventId: 'event-0',
          listenerId,
        })),
      };
      expect(await queue().enqueue(again, 2_000)).to.deep.equal({ added: 0 });
      expect(await queue().enqueue(toOther, 2_000)).to.deep.equal({ added: 0 });
      expect((await queue().lease(leaseRequest({ now: 2_000 }))).deliveries).to.deep.equal([]);

      expect(await forget(later)).to.equal(1);
      expect(await queue().enqueue(again, 3_000)).to.deep.equal({ added: 1 });
      expect((await leaseOne(3_000)).body).to.equal(batch.messages[0]?.body);
    });

    it('leaves a repeat to its replay', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener], 1, 'event');
      await queue().enqueue(batch, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: later, limit: 10 });
      const replayed = {
        ...batch,
        messages: batch.messages.map((each) => ({ ...each, position: 20n })),
        deliveries: batch.deliveries.map((each) => ({ ...each, id: `${each.id}/replayed`, replay: 'replay-1' })),
      };
      expect(await queue().enqueue(replayed, 2_000)).to.deep.equal({ added: 1 });
      expect((await leaseOne(2_000)).body).to.equal(batch.messages[0]?.body);
    });
  });

  describe('forgetting statistics', () => {
    it('forgets the days that ended before that time, of each listener', async () => {
      const day = 86_400_000;
      const listeners = [queuedListener(), queuedListener()];
      for (const today of [10 * day, 11 * day, 12 * day]) {
        await queue().enqueue(batchOf(listeners), today);
        const { deliveries } = await queue().lease(leaseRequest({ now: today }));
        await queue().record(deliveries.map(succeeded), today);
      }
      await queue().forget({ of: 'halfHours', before: 13 * day, limit: 100 });
      let after: string | undefined;
      let forgotten = 0;
      do {
        const step = await queue().forget({ of: 'days', before: 12 * day + 1, limit: 1, after });
        forgotten += step.forgotten;
        after = step.next;
      } while (after !== undefined);
      expect(forgotten).to.equal(4);
      const left = await daysOf(queue(), { orgId: 'acme', from: '1970-01-01', to: '1970-12-31' });
      expect(left.map((each) => each.day)).to.deep.equal(['1970-01-13', '1970-01-13']);
    });

    it('makes the half hours that began before that time part of their days, step by step', async () => {
      const halfHour = 1_800_000;
      const listener = queuedListener();
      for (const now of [halfHour, 2 * halfHour, 3 * halfHour, 4 * halfHour]) {
        await queue().enqueue(batchOf([listener], 1, `event-at-${now}`), now);
        await queue().record([succeeded(await leaseOne(now))], now + 1);
      }
      const step = { before: 3 * halfHour + 1, limit: 2 };
      const { listenerId } = listener;
      const sums = { succeeded: 4, failed: 0, exhausted: 0, durationMs: 20 };
      for (const moved of [2, 1, 0]) {
        expect((await queue().forget({ of: 'halfHours', ...step })).forgotten).to.equal(moved);
        expect(await daysOf(queue(), { orgId: 'acme', from: '1970-01-01', to: '1970-01-01' })).to.deep.equal([
          { day: '1970-01-01', listenerId, ...sums },
        ]);
      }
      const left = await queue().statistics({ by: 'half hour', orgId: 'acme', listenerId, from: 0, to: 9 * halfHour });
      expect(left.map(({ at }) => at)).to.deep.equal([4 * halfHour]);
    });
  });
}
