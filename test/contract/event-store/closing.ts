import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, idsOf, newCategory, newEvent, newEvents, newStream } from './support.js';

export function closingContract({ openAnother }: ContractContext): void {
  describe('closing', () => {
    it('waits for pending appends', async () => {
      const store = await openAnother();
      const stream = newStream();
      const appends = newEvents(20).map((event) => store.append(stream, [event]));
      await store.close();
      await Promise.all(appends);
      expect(await collect((await openAnother()).readStream(stream))).to.have.length(20);
    });

    it('ends subscriptions, and may be asked for twice', async () => {
      const store = await openAnother();
      for await (const { caughtUp } of store.subscribe({ filter: { categories: [newCategory()] } })) {
        if (caughtUp) setTimeout(() => void store.close(), 5);
      }
      await Promise.all([store.close(), store.close()]);
    });

    it('refuses everything from then on', async () => {
      const store = await openAnother();
      const stream = newStream();
      await store.append(stream, [newEvent()]);
      await store.close();
      for (const attempt of [
        store.append(stream, [newEvent()]),
        store.head(),
        collect(store.readStream(stream)),
        collect(store.readAll()),
        collect(store.subscribe()),
        collect(store.subscribe({ from: 'end' })),
      ]) {
        expect(await rejection(attempt)).to.be.instanceOf(StoreUnavailable);
      }
    });

    it('keeps everything for the next opening', async () => {
      const store = await openAnother();
      const stream = newStream();
      const events = newEvents(3);
      const result = await store.append(stream, events);
      await store.close();

      const again = await openAnother();
      expect(idsOf(await collect(again.readStream(stream)))).to.deep.equal(idsOf(events));
      expect(await again.append(stream, events)).to.deep.equal(result);
    });
  });
}
