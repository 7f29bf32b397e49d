import { expect } from 'chai';
import { AppendTooLarge } from '../../../../src/stores/event-store/errors.js';
import { refusedAbove } from '../../../../src/stores/event-store/eventstoredb/failures.js';
import { versionNames } from '../../../eventstoredb-double/src/server-version.js';
import { rejection } from '../../../support/rejection.js';
import { newEvent, newStream, patient, storeOnDouble } from './support.js';

describe('an append that EventStoreDB finds too large', () => {
  for (const version of versionNames) {
    it(`is refused as such where ${version} is set to take less than we do, and the next one works`, async () => {
      const on = await storeOnDouble(patient, { version, maxAppendBytes: 1_000 });
      try {
        const stream = newStream();
        const tooLarge = newEvent({ text: 'x'.repeat(1_000) });
        const bytes = 1_000 + '{"text":""}'.length + '{}'.length + 2 * tooLarge.type.length;
        expect(await rejection(on.store.append(stream, [tooLarge])))
          .to.be.instanceOf(AppendTooLarge)
          .and.include({ bytes, maxBytes: 1_000 });
        expect((await on.store.append(stream, [newEvent()])).revision).to.equal(0n);
      } finally {
        await on.close();
      }
    });
  }

  it('is refused as such where the server limits one event to less', async () => {
    const on = await storeOnDouble(patient, { version: '24.10', maxAppendEventBytes: 1_000 });
    try {
      expect(await rejection(on.store.append(newStream(), [newEvent(), newEvent({ text: 'x'.repeat(1_000) })])))
        .to.be.instanceOf(AppendTooLarge)
        .and.include({ maxBytes: 1_000 });
    } finally {
      await on.close();
    }
  });

  it('is known by its words too, for one event among others as for all of them', () => {
    const refusal = (message: string) => Object.assign(new Error(message), { code: 3 });
    expect(refusedAbove(refusal('3 INVALID_ARGUMENT: Maximum Append Size of 1048576 Exceeded'))).to.equal(1_048_576);
    expect(refusedAbove(refusal('Event of 2000 bytes exceeds Maximum Append Event Size of 1024'))).to.equal(1_024);
    expect(refusedAbove(refusal('a stream name is required'))).to.equal(undefined);
    expect(refusedAbove(new Error('Maximum Append Size of 1 Exceeded'))).to.equal(undefined);
  });
});
