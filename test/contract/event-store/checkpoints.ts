import { expect } from 'chai';
import type { EventBatch, EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { type ContractContext, idsOf, newCategory, newEvent, newEvents, newStream } from './support.js';

/** A reader as those of the service are: it keeps its checkpoint once a batch is handled, and begins there again. */
function readerOf(store: EventStore, category: string) {
  let checkpoint: bigint | undefined;
  return {
    checkpoint: () => checkpoint,
    async run(handle: (batch: EventBatch) => void | Promise<void>, enough: (batch: EventBatch) => boolean) {
      const from = checkpoint === undefined ? {} : { from: checkpoint };
      for await (const batch of store.subscribe({ ...from, filter: { categories: [category] } })) {
        await handle(batch);
        checkpoint = batch.position;
        if (enough(batch)) return;
      }
    },
  };
}

export function checkpointsContract({ store, openAnother }: ContractContext): void {
  describe('the position of a subscription', () => {
    it('stays when a handler fails, so that the failed batch is repeated', async () => {
      const category = newCategory();
      const stream = newStream(category);
      const reader = readerOf(store(), category);
      const handled: RecordedEvent[] = [];
      const handle = ({ events }: EventBatch) => void handled.push(...events);

      const first = newEvents(2);
      await store().append(stream, first);
      await reader.run(handle, ({ caughtUp }) => caughtUp);
      const kept = reader.checkpoint();

      const second = newEvents(3);
      await store().append(stream, second);
      const failure = new Error('the handler failed');
      const failed = reader.run(
        () => {
          throw failure;
        },
        () => false,
      );
      expect(await rejection(failed)).to.equal(failure);
      expect(reader.checkpoint()).to.equal(kept);

      await reader.run(handle, ({ caughtUp }) => caughtUp);
      expect(idsOf(handled)).to.deep.equal(idsOf([...first, ...second]));
    });

    it('loses and repeats nothing however often its reader restarts', async () => {
      const category = newCategory();
      const stream = newStream(category);
      const reader = readerOf(store(), category);
      const handled: RecordedEvent[] = [];
      const events = newEvents(30);
      const writing = (async () => {
        for (const event of events) await store().append(stream, [event]);
      })();
      while (handled.length < events.length) {
        await reader.run(
          (batch) => void handled.push(...batch.events),
          ({ events: given }) => given.length > 0,
        );
      }
      await writing;
      expect(idsOf(handled)).to.deep.equal(idsOf(events));
    });

    it('moves past the events of other categories though nothing matches', async () => {
      const stop = new AbortController();
      const filter = { categories: [newCategory()] };
      let checkpoint = -1n;
      const reading = (async () => {
        for await (const { events, position } of store().subscribe({ filter, signal: stop.signal })) {
          expect(events).to.be.empty;
          checkpoint = position;
        }
      })();
      for (let count = 0; count < 3; count += 1) {
        const { position } = await store().append(newStream(), newEvents(2));
        await until(() => checkpoint >= position, 'the checkpoint to move');
      }
      stop.abort();
      await reading;
    });

    it('moves past events that another client appends', async () => {
      const category = newCategory();
      const other = await openAnother();
      const event = newEvent();
      const reader = readerOf(store(), category);
      const handled: RecordedEvent[] = [];
      let appended = false; // other categories' history may come before, as positions without events
      await reader.run(
        async ({ events, caughtUp }) => {
          handled.push(...events);
          if (!caughtUp || appended) return;
          appended = true;
          await other.append(newStream(category), [event]);
        },
        () => handled.length > 0,
      );
      expect(idsOf(handled)).to.deep.equal([event.id]);
    });

    it('never goes back and never runs ahead of an event', async () => {
      const category = newCategory();
      let last = -1n;
      let given = 0;
      const writing = Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          store().append(newStream(index % 2 ? category : newCategory()), newEvents(1)),
        ),
      );
      for await (const { events, position } of store().subscribe({ filter: { categories: [category] } })) {
        for (const event of events) expect(event.position > last && event.position <= position).to.equal(true);
        expect(position >= last).to.equal(true);
        last = position;
        given += events.length;
        if (given === 20) break;
      }
      await writing;
    });
  });
}
