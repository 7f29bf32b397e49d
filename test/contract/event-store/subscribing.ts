import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import {
  type ContractContext,
  collect,
  collectUntil,
  idsOf,
  newCategory,
  newEvent,
  newEvents,
  newStream,
} from './support.js';

export function subscribingContract({ store, openAnother }: ContractContext): void {
  describe('subscribing', () => {
    it('delivers the history, then live events, and reports when it has caught up', async () => {
      const category = newCategory();
      const [old, young] = [newEvent(), newEvent()];
      await store().append(newStream(category), [old]);
      let appended = false;
      const events = await collectUntil(
        store().subscribe({ filter: { categories: [category] } }),
        (seen, { caughtUp }) => {
          if (caughtUp && !appended) {
            expect(idsOf(seen)).to.deep.equal([old.id]);
            appended = true;
            void store().append(newStream(category), [young]);
          }
          return seen.length === 2;
        },
      );
      expect(idsOf(events)).to.deep.equal([old.id, young.id]);
    });

    it('excludes the position that it begins after', async () => {
      const category = newCategory();
      const stream = newStream(category);
      const { position } = await store().append(stream, newEvents(2));
      const rest = newEvents(2);
      await store().append(stream, rest);
      const events = await collectUntil(
        store().subscribe({ from: position, filter: { categories: [category] } }),
        (_, { caughtUp }) => caughtUp,
      );
      expect(idsOf(events)).to.deep.equal(idsOf(rest));
    });

    it('delivers the events of the requested buckets, and of streams that name none', async () => {
      const category = newCategory();
      const id = randomUUID();
      const [own, others] = [
        [`07.${id}`, `ff.${id}`, `7.${id}`, `07-${id}`, '07.1', '07'],
        [`1f.${id}`, `f7.${id}`],
      ];
      for (const name of [...others, ...own]) await store().append(`${category}-${name}`, [newEvent()]);
      const filter = { categories: [category], buckets: new Set([0x07, 0xff]) };
      const events = await collectUntil(store().subscribe({ filter }), (_, { caughtUp }) => caughtUp);
      expect(events.map(({ stream }) => stream.slice(category.length + 1))).to.include.members(own);
    });

    it('begins at the end if requested', async () => {
      const category = newCategory();
      const event = newEvent();
      await store().append(newStream(category), newEvents(3));
      let batches = 0;
      const events = await collectUntil(
        store().subscribe({ from: 'end', filter: { categories: [category] } }),
        (seen, { caughtUp }) => {
          batches += 1;
          if (batches === 1) {
            expect([caughtUp, seen.length]).to.deep.equal([true, 0]);
            void store().append(newStream(category), [event]);
          }
          return seen.length > 0;
        },
      );
      expect(idsOf(events)).to.deep.equal([event.id]);
    });

    it('reports at once that it has caught up where there is no history', async () => {
      const batches = store().subscribe({ filter: { categories: [newCategory()] } });
      expect(await collectUntil(batches, (_, { caughtUp }) => caughtUp)).to.be.empty;
    });

    it('loses nothing and repeats nothing while others append during the history and after it', async () => {
      const category = newCategory();
      const streams = Array.from({ length: 4 }, () => newStream(category));
      const other = await openAnother();
      const writeTo = async (stream: string, writer: EventStore) => {
        for (let count = 0; count < 75; count += 1) await writer.append(stream, newEvents(1 + (count % 3)));
      };
      for (const stream of streams) await store().append(stream, newEvents(200));

      const [events] = await Promise.all([
        collectUntil(store().subscribe({ filter: { categories: [category] } }), (seen) => seen.length >= 4 * 350),
        ...streams.map((stream, index) => writeTo(stream, index % 2 ? other : store())),
      ]);

      const all = await collect(store().readAll({ filter: { categories: [category] } }));
      expect(idsOf(events)).to.deep.equal(idsOf(all));
    });

    it('gives every subscriber everything', async () => {
      const category = newCategory();
      const events = newEvents(50);
      const subscribers = Array.from({ length: 12 }, () =>
        collectUntil(store().subscribe({ filter: { categories: [category] } }), (seen) => seen.length === 50),
      );
      for (const event of events) await store().append(newStream(category), [event]);
      for (const seen of await Promise.all(subscribers)) expect(idsOf(seen)).to.deep.equal(idsOf(events));
    });

    it('delivers one batch at a time, and does not delay other readers for a slow one', async () => {
      const category = newCategory();
      const filter = { categories: [category] };
      const stream = newStream(category);
      await store().append(stream, newEvents(10));
      let running = 0;
      let mostRunning = 0;
      const handle = async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await pause(5);
        running -= 1;
      };
      const slow = (async () => {
        let seen = 0;
        for await (const { events } of store().subscribe({ filter })) {
          if (events.length > 0) await handle();
          seen += events.length;
          if (seen === 60) return;
        }
      })();
      for (const event of newEvents(50)) await store().append(stream, [event]);
      await collectUntil(store().subscribe({ filter }), (seen) => seen.length === 60);
      await slow;
      expect(mostRunning).to.equal(1);
    });

    it('ends on abort, once the current batch has been handled', async () => {
      const category = newCategory();
      await store().append(newStream(category), newEvents(1));
      const stop = new AbortController();
      const told: string[] = [];
      for await (const { events } of store().subscribe({ filter: { categories: [category] }, signal: stop.signal })) {
        if (events.length === 0) continue;
        stop.abort();
        await pause(5);
        told.push('handled');
      }
      told.push('ended');
      expect(told).to.deep.equal(['handled', 'ended']);
    });

    it('ends on abort while it waits, and at once when aborted before', async () => {
      const stop = new AbortController();
      const filter = { categories: [newCategory()] };
      for await (const { caughtUp } of store().subscribe({ filter, signal: stop.signal })) {
        if (caughtUp) setTimeout(() => stop.abort(), 5);
      }
      expect(await collect(store().subscribe({ filter, signal: stop.signal }))).to.deep.equal([]);
    });
  });
}
