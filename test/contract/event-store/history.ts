import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { codecFor, defineEvent } from '../../../src/stores/event-store/codec.js';
import { EventUndecodable, StreamNotFound } from '../../../src/stores/event-store/errors.js';
import { lastEventAsOf, readAsOf } from '../../../src/stores/event-store/read-at.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, newCategory, newEvent, newEvents, newStream, revisionsOf } from './support.js';

export function historyContract({ store }: ContractContext): void {
  describe('a stream as it was', () => {
    it('at an instant holds what had been recorded by then, whenever this store took it', async () => {
      const stream = newStream();
      const times = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z', '2020-01-02T00:00:00.001Z'];
      await store().append(
        stream,
        times.map((recordedAt) => newEvent({}, { recordedAt })),
      );
      const asOf = async (time: string) => revisionsOf(await collect(readAsOf(store(), stream, new Date(time))));
      expect(await asOf('2019-12-31T23:59:59.999Z')).to.deep.equal([]);
      expect(await asOf('2020-01-02T00:00:00.000Z')).to.deep.equal([0n, 1n]);
      expect(await asOf('2030-01-01T00:00:00.000Z')).to.deep.equal([0n, 1n, 2n]);
    });

    it('at an instant ends with the same event by bisection, at any length', async () => {
      const day = (number: number) => new Date(Date.UTC(2020, 0, number));
      for (const length of [1, 2, 3, 10]) {
        const stream = newStream();
        // Two events a day.
        const events = Array.from({ length }, (_, index) =>
          newEvent({}, { recordedAt: day(1 + Math.floor(index / 2)).toISOString() }),
        );
        await store().append(stream, events);
        for (let number = 0; number <= 7; number += 1) {
          const whole = await collect(readAsOf(store(), stream, day(number)));
          const last = await lastEventAsOf(store(), stream, day(number));
          expect(last?.revision, `${length} events, day ${number}`).to.equal(whole.at(-1)?.revision);
        }
      }
      expect(await lastEventAsOf(store(), newStream(), day(9))).to.equal(undefined);
    });

    it('goes by when the store took an event that does not say when it was recorded', async () => {
      const stream = newStream();
      await store().append(stream, newEvents(1));
      const [taken] = await collect(store().readStream(stream));
      const asOf = async (time: number) => collect(readAsOf(store(), stream, new Date(time)));
      const created = taken?.created.getTime() ?? Number.NaN;
      expect(await asOf(created)).to.have.length(1);
      expect(await asOf(created - 1)).to.be.empty;
    });

    it('is not known where the stream does not exist', async () => {
      expect(await rejection(collect(readAsOf(store(), newStream(), new Date())))).to.be.instanceOf(StreamNotFound);
    });
  });

  describe('an event of an undeclared type', () => {
    it('stops its reader', async () => {
      const category = newCategory();
      const Known = defineEvent({ category, type: 'Known', version: 1, schema: z.object({ value: z.number() }) });
      const stream = newStream(category);
      await store().append(stream, [
        { ...newEvent({ value: 1 }), type: 'Known' },
        { id: randomUUID(), type: 'Unknown', data: {}, metadata: {} },
        { ...newEvent({ value: 2 }), type: 'Known' },
      ]);
      const recorded = await collect(store().readStream(stream));

      expect(() => recorded.map(codecFor([Known]).decode)).to.throw(EventUndecodable, /Unknown at revision 1/);
    });
  });
}
