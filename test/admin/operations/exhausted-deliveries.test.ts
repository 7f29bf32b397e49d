import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { publishExhausted } from '../../../src/admin/operations/exhausted-deliveries.js';
import { listenerCodec } from '../../../src/events/listener-events.js';
import { operationsOrganisation } from '../../../src/events/operational-events.js';
import { flowAbout, flowStream } from '../../../src/flows/flow-event.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import { readFirstIfExists } from '../../../src/stores/event-store/read-if-exists.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { details, detailsWith, subscribed } from '../../listeners/fixtures.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const stream = listenerStream(details.orgId, details.hookUrl);
const operator = detailsWith(details, { orgId: operationsOrganisation, subscriptionType: 'delivery.*' });
const documents = new Map(
  [details, operator].map((listener) => [listener.orgId, { ...listener, from: '', until: '' }]),
);

/** The copy for operators of one listener's count, which is appended after `before`. */
async function copyAfter(before: (deleteListener: () => Promise<void>) => Promise<void>, key = 1) {
  const store = openSqliteEventStore({ directory: temporaryDirectory() });
  const event = listenerCodec.encode(subscribed(), { actor: 'test', correlationId: 'test' }, new Date(0));
  await store.append(stream, [event], { expectedRevision: 'no-stream' });
  const deleteListener = () => store.deleteStream(stream);
  await publishExhausted(
    {
      store: {
        ...store,
        async appendEach(events) {
          await before(deleteListener);
          return store.appendEach(events);
        },
      },
      queue: {
        positions: async (readers) => new Map(readers.map((reader) => [reader, 1n])),
        exhausted: async () => [{ listenerId: details.listenerId, exhausted: 3 }],
      },
      readModel: {
        find: async (_, { where }) =>
          [documents.get(String(where?.orgId ?? details.orgId))].flatMap((document) =>
            document ? [{ key: '1', document }] : [],
          ),
      },
      masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, key)]])),
      clock: () => 200_000, // the minute that begins at 120 s is over
    },
    { keep: async () => undefined, worked: () => undefined },
  );
  const copy = await readFirstIfExists(store.readStream(flowStream(operationsOrganisation, flowAbout(details.orgId))));
  await store.close();
  return copy;
}

describe('the count of the deliveries of a minute that used up their attempts', () => {
  it('is published for operators', async () => {
    const copy = await copyAfter(async () => undefined);
    expect(copy).to.include({ type: 'delivery.exhausted' });
    expect(copy?.data).to.deep.nested.include({ 'data.count': 3 });
  });

  it('has an ID that only the master keys tell, so that no publisher can use it first', async () => {
    const dataWith = async (key: number) => (await copyAfter(async () => undefined, key))?.data;
    expect(await dataWith(1)).to.deep.equal(await dataWith(1));
    expect(await dataWith(1)).to.not.deep.equal(await dataWith(2));
  });

  it('is withdrawn where the organisation was erased before it was appended', async () => {
    expect(await copyAfter((deleteListener) => deleteListener())).to.equal(undefined);
  });
});
