import { expect } from 'chai';
import {
  type ContractContext,
  collect,
  idsOf,
  newCategory,
  newEvent,
  newEvents,
  newStream,
  revisionsOf,
} from './support.js';

export function allEventsContract({ store }: ContractContext): void {
  describe('reading all events', () => {
    it('gives them in an order that agrees with the order of each stream', async () => {
      const category = newCategory();
      const streams = Array.from({ length: 5 }, () => newStream(category));
      await Promise.all(streams.flatMap((stream) => newEvents(20).map((event) => store().append(stream, [event]))));
      const all = await collect(store().readAll({ filter: { categories: [category] } }));

      expect(all).to.have.length(100);
      expect(
        all.every(({ position }, index) => index === 0 || position > (all[index - 1]?.position ?? position)),
      ).to.equal(true);
      for (const stream of streams) {
        const own = await collect(store().readStream(stream));
        expect(all.filter((event) => event.stream === stream)).to.deep.equal(own);
      }
    });

    it('goes in both directions from a position, that one excluded', async () => {
      const category = newCategory();
      const filter = { categories: [category] };
      await store().append(newStream(category), newEvents(5));
      const all = await collect(store().readAll({ filter }));
      const from = all[2]?.position ?? 0n;
      const revisions = async (range: Parameters<ReturnType<typeof store>['readAll']>[0]) =>
        revisionsOf(await collect(store().readAll({ ...range, filter })));

      expect(await revisions({ from })).to.deep.equal([3n, 4n]);
      expect(await revisions({ from, direction: 'backwards' })).to.deep.equal([1n, 0n]);
      expect(await revisions({ direction: 'backwards', limit: 2 })).to.deep.equal([4n, 3n]);
      expect(await revisions({ limit: 2 })).to.deep.equal([0n, 1n]);
      expect(await revisions({ limit: 0 })).to.deep.equal([]);
    });

    it('names the streams of categories, and finds none of their events filed elsewhere', async () => {
      const [one, another] = [newCategory(), newCategory()];
      const streams = [newStream(one), newStream(another), newStream(one)];
      for (const stream of [...streams, ...streams, `${one}x-1`]) await store().append(stream, [newEvent()]);
      const named = async (...categories: string[]) =>
        [...new Set(await collect(store().streamNames(categories)))].sort();

      expect(await named(one)).to.deep.equal([streams[0], streams[2]].sort());
      expect(await named(one, another)).to.deep.equal([...streams].sort());
      expect(await named(newCategory())).to.deep.equal([]);
      expect(await collect(store().unexplainedEvents([one, another, `${one}x`]))).to.deep.equal([]);
    });

    it('gives the events of several categories in one order, and of no others', async () => {
      const [one, another, third] = [newCategory(), newCategory(), newCategory()];
      const appended: string[] = [];
      for (const category of [one, another, third, another, one, third, one]) {
        const event = newEvent();
        await store().append(newStream(category), [event]);
        if (category !== third) appended.push(event.id);
      }
      const filter = { categories: [another, one, one] };
      expect(idsOf(await collect(store().readAll({ filter })))).to.deep.equal(appended);
      expect(idsOf(await collect(store().readAll({ filter, direction: 'backwards' })))).to.deep.equal(
        appended.toReversed(),
      );
    });

    it('takes the category from the name of the stream, up to the first dash and no less', async () => {
      const category = newCategory();
      await store().append(`${category}s-1`, [newEvent()]);
      await store().append(`${category}-a-b`, [newEvent()]);
      await store().append(category, [newEvent()]);
      const all = await collect(store().readAll({ filter: { categories: [category] } }));
      expect(all.map(({ stream }) => stream)).to.deep.equal([`${category}-a-b`, category]);
    });

    it('passes on everything of every stream without a filter', async () => {
      const { position } = await store().append(newStream(), [newEvent()]);
      const events = newEvents(3);
      for (const event of events) await store().append(newStream(), [event]);
      const ids = idsOf(await collect(store().readAll({ from: position })));
      expect(ids).to.include.members([...idsOf(events)]);
      const latest = idsOf(await collect(store().readAll({ direction: 'backwards', limit: 50 })));
      expect(latest).to.include.members([...idsOf(events)]);
    });

    it('ends at the head', async () => {
      const { position } = await store().append(newStream(), [newEvent()]);
      expect((await store().head()) >= position).to.equal(true);
    });
  });
}
