import { expect } from 'chai';
import fc from 'fast-check';
import { bucketName } from '../../../../src/stores/event-store/bucket.js';
import {
  eventPredicate,
  serverFilter,
} from '../../../../src/stores/event-store/eventstoredb/reading/recorded-event.js';

const uuid = '0b1c2d3e-4f50-5a6b-8c7d-9e0f1a2b3c4d';

describe('a filter by buckets', () => {
  const stream = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('flow', 'listener', 'other'),
        fc.nat({ max: 255 }),
        fc.constantFrom(`.${uuid}`, `.${uuid}0`, '.1', '', `-${uuid}`, `0.${uuid}`),
      )
      .map(([category, bucket, rest]) => `${category}-${bucketName(bucket)}${rest}`),
    fc.constantFrom('flow', 'flow-', `flow-.${uuid}`, `flow-a-07.${uuid}`, `$flow-07.${uuid}`),
  );

  it('asks the server for the streams that the adapter passes on', () => {
    fc.assert(
      fc.property(stream, fc.uniqueArray(fc.nat({ max: 255 }), { minLength: 1 }), (streamId, some) => {
        const filter = { categories: ['flow', 'listener'], buckets: new Set(some) };
        const { regex = '' } = serverFilter(filter) as { regex?: string };
        const passes = eventPredicate(filter)({ streamId, type: 'something' });
        expect(new RegExp(regex).test(streamId)).to.equal(passes);
      }),
    );
  });

  it('is short, since the server matches it with the name of each event', () => {
    const buckets = new Set([...Array(256).keys()].filter((bucket) => bucket % 32 < 11));
    const { regex = '' } = serverFilter({ categories: ['flow'], buckets }) as { regex?: string };
    expect(regex.length).to.be.below(300);
  });
});
