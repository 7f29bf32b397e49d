import { expect } from 'chai';
import { AppendTooLarge, NotSerialisable, StreamNotFound } from '../../../src/stores/event-store/errors.js';
import { type JsonObject, maxAppendBytes } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, newEvent, newStream } from './support.js';

const cycle: Record<string, unknown> = {};
cycle.itself = cycle;

/** Values that no type permits, and a careless caller might still send. */
const notJson: Readonly<Record<string, unknown>> = {
  'a bigint': { value: 1n },
  'a cycle': cycle,
  'something undefined': { value: undefined },
  'a function': { value: () => 1 },
  'a symbol': { value: Symbol('s') },
  NaN: { value: Number.NaN },
  'an infinite number': { list: [1, Number.POSITIVE_INFINITY] },
  'a hole in a list': { list: Object.assign([], { length: 2 }) },
  'a date': { at: new Date() },
  'a map': { value: new Map() },
  'a list instead of an object': [],
  'text instead of an object': 'text',
  'null instead of an object': null,
  'nothing at all': undefined,
};

/** An object whose JSON is as many bytes as that. */
const ofBytes = (bytes: number): JsonObject => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

/** Bytes of an event of `newEvent` beside its data: its type in UTF-16, and `{}`. */
const bytesBeside = 2 * newEvent().type.length + 2;

export function refusalsContract({ store }: ContractContext): void {
  describe('what can be appended', () => {
    for (const [what, value] of Object.entries(notJson)) {
      it(`does not hold ${what}: it is refused at once, and the next append works`, async () => {
        const stream = newStream();
        for (const part of ['data', 'metadata']) {
          const event = { ...newEvent(), [part]: value };
          expect(await rejection(store().append(stream, [newEvent(), event]))).to.be.instanceOf(NotSerialisable);
        }
        expect(await rejection(collect(store().readStream(stream)))).to.be.instanceOf(StreamNotFound);
        expect((await store().append(stream, [newEvent()])).revision).to.equal(0n);
      });
    }

    it('is not disturbed by a refusal beside it', async () => {
      const stream = newStream();
      const refused = rejection(store().append(stream, [{ ...newEvent(), data: cycle as JsonObject }]));
      const accepted = store().append(stream, [newEvent()]);
      expect(await refused).to.be.instanceOf(NotSerialisable);
      expect((await accepted).revision).to.equal(0n);
    });

    it('has a UUID, a type without control characters, and a stream name of 1 to 512 printable ASCII characters', async () => {
      const event = newEvent();
      for (const [stream, wrong] of [
        [newStream(), { ...event, id: 'not-a-uuid' }],
        [newStream(), { ...event, type: '' }],
        [newStream(), { ...event, type: 'a\nb' }],
        ['', event],
        ['stream-ä', event],
        ['stream-\n', event],
        [`stream-${'x'.repeat(506)}`, event],
      ] as const) {
        expect(await rejection(store().append(stream, [wrong])), stream).to.be.instanceOf(NotSerialisable);
      }
      const longest = newStream().padEnd(512, 'x');
      expect((await store().append(longest, [event])).revision).to.equal(0n);
    });

    it('is any Unicode text', async () => {
      const stream = newStream();
      const data = { 'ключ 🔑': 'é e\u0301 日本語 🏴‍☠️ \u0000 \u2028 " \\ \uFEFF', '': 'empty', __proto__x: 1 };
      await store().append(stream, [{ ...newEvent(data, data), type: 'Ünïcode 🎉' }]);
      const [recorded] = await collect(store().readStream(stream));
      expect(recorded).to.deep.include({ type: 'Ünïcode 🎉', data, metadata: data });
    });

    it('is up to 1 MiB, and not one byte more', async () => {
      const stream = newStream();
      const largest = ofBytes(maxAppendBytes - bytesBeside);
      await store().append(stream, [newEvent(largest)]);
      const [recorded] = await collect(store().readStream(stream));
      expect(recorded?.data).to.deep.equal(largest);

      const error = await rejection(store().append(stream, [newEvent(ofBytes(maxAppendBytes - bytesBeside + 1))]));
      expect(error)
        .to.be.instanceOf(AppendTooLarge)
        .and.include({ bytes: maxAppendBytes + 1 });
    });

    it('is measured over all events of an append: data and metadata in bytes of UTF-8, types in those of UTF-16', async () => {
      const half = maxAppendBytes / 2;
      const [metadata, type] = [ofBytes(1_000), '🚲'.repeat(100)];
      const append = (...data: JsonObject[]) =>
        store().append(
          newStream(),
          data.map((each) => ({ ...newEvent(each, metadata), type })),
        );
      const most = half - 1_000 - 2 * 200;
      await append(ofBytes(most), ofBytes(most));
      expect(await rejection(append(ofBytes(most), ofBytes(most + 1))))
        .to.be.instanceOf(AppendTooLarge)
        .and.include({ bytes: maxAppendBytes + 1, maxBytes: maxAppendBytes });
      expect(await rejection(append({ text: 'é'.repeat(half) }))).to.be.instanceOf(AppendTooLarge);
    });
  });
}
