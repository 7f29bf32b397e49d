import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { checkSeal } from '../../../src/audit/seals/check-seal.js';
import { makeSeal } from '../../../src/audit/seals/make-seal.js';
import { keysCodec, keysStream } from '../../../src/events/key-events.js';
import { appendAfter } from '../../../src/store-copy/copy-events.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { issued } from '../../access/tokens/fixtures.js';
import { paused, subscribed } from '../../listeners/fixtures.js';
import { storeOnDouble } from '../../stores/event-store/eventstoredb/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { appendListenerEvent, appendSessionEvent, day } from '../append-events.js';
import { noErasures } from '../memory-store.js';

describe('a seal of the embedded store', function () {
  this.timeout(120_000);

  it('holds for the copy in EventStoreDB, and names events that are removed there', async () => {
    const keys = await signingKeys(generateSigningKeys());
    const directory = temporaryDirectory();
    const path = join(directory, 'seal');
    const source = openSqliteEventStore({ directory });
    const target = await storeOnDouble();
    const differences = (store: EventStore) =>
      checkSeal({ store, path, findErasure: noErasures }, async ({ findings }) => {
        const found = [];
        for await (const { stream, kind } of findings) found.push([stream.split('-')[0], kind]);
        return found;
      });
    try {
      const retired = { masterKeys: [], signingKeys: [] };
      const recorded = { masterKeys: {}, signingKeys: [...keys.thumbprints], signsFrom: {}, retired };
      const cause = { actor: 'service', correlationId: 'start' };
      await source.append(keysStream, [keysCodec.encode({ type: 'KeysRecorded', data: recorded }, cause, day(1))]);
      await appendListenerEvent(source, subscribed(), { at: day(2) });
      await appendSessionEvent(source, issued(), { at: day(2) });
      await appendListenerEvent(source, paused({ since: 0 }), { at: day(3) });
      await source.append('organisation-1', [
        // Of a producer that gives no time.
        { id: crypto.randomUUID(), type: 'Undated', data: { text: 'Zürich 🎉', number: 1e21 }, metadata: {} },
      ]);
      await makeSeal({ store: source, signingKeys: keys, path, now: () => new Date() });
      await appendAfter(-1n, source, target.store, () => undefined);
      expect(await differences(source)).to.deep.equal([]);
      expect(await differences(target.store)).to.deep.equal([]);

      const [session] = await streamsOf(target.store, 'session');
      await target.client.deleteStream(session ?? '');
      expect(await differences(target.store)).to.deep.equal([['session', 'removed']]);

      const later = join(directory, 'later');
      await makeSeal({ store: target.store, signingKeys: keys, path: later, now: () => new Date() });
      expect(readFileSync(later, 'utf8'))
        .to.match(/"listener-/)
        .and.not.to.match(/"session-/);
    } finally {
      await target.close();
      await source.close();
    }
  });
});

async function streamsOf(store: EventStore, category: string): Promise<readonly string[]> {
  const streams = [];
  for await (const { stream } of store.readAll({ filter: { categories: [category] } })) streams.push(stream);
  return streams;
}
