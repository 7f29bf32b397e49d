import { expect } from 'chai';
import { findDerived } from '../../../src/admin/keys/derived-secrets.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { hash, issued, limits, revoked, rotated } from '../../access/tokens/fixtures.js';
import { appendListenerEvent, appendSessionEvent, day } from '../../audit/append-events.js';
import {
  firstId,
  nextId,
  paused,
  secretOf,
  secretRotated,
  subscribed,
  unsubscribed,
} from '../../listeners/fixtures.js';
import { storeOnDouble } from '../../stores/event-store/eventstoredb/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const sessionId = '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b11';

type Opened = { store: EventStore; close: () => Promise<void> };

function findsWhatIsInUse(open: () => Promise<Opened>): void {
  let opened: Opened;
  let store: EventStore;
  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  const derived = async (generation: string, now = day(3)): Promise<readonly string[]> => {
    const found = [];
    for await (const { kind, id } of findDerived({ store, generation, limits, now })) found.push(`${kind} ${id}`);
    return found;
  };
  const at = { at: day(2) };

  it('listeners, also paused ones, until they are removed', async () => {
    expect(await derived('g1')).to.eql([]);
    await appendListenerEvent(store, subscribed(), at);
    await appendListenerEvent(store, subscribed({ listenerId: nextId, hookUrl: 'https://hooks.example.com/2' }), at);
    await appendListenerEvent(store, paused({ since: 0 }), at);
    expect(await derived('g1')).to.have.members([`listener ${firstId}`, `listener ${nextId}`]);
    await appendListenerEvent(store, unsubscribed({ since: 1 }), at);
    expect(await derived('g1')).to.eql([`listener ${nextId}`]);
    expect(await derived('g2')).to.eql([]);
  });

  it('the previous secret of a listener while it signs', async () => {
    const previous = { keyGeneration: 'g1', version: 1, until: day(4).toISOString() };
    await appendListenerEvent(store, subscribed(), at);
    const secret = secretOf(2, { keyGeneration: 'g2', previous });
    await appendListenerEvent(store, secretRotated({ since: 0, paused: false, secret }), at);
    expect(await derived('g1')).to.eql([`listener ${firstId}`]);
    expect(await derived('g2')).to.eql([`listener ${firstId}`]);
    expect(await derived('g1', day(5))).to.eql([]);
  });

  it('the secret of an agent until the end of its subscription', async () => {
    const secret = secretOf(1, { sealed: 'sealed', expiresAt: day(4).toISOString() });
    await appendListenerEvent(store, subscribed({ secret }), at);
    expect(await derived('g1')).to.eql([`listener ${firstId}`]);
    expect(await derived('g1', day(4))).to.eql([]);
  });

  it('sessions until they refresh, are revoked, or end by their limits', async () => {
    await appendSessionEvent(store, issued(), at);
    expect(await derived('g1')).to.eql([`session ${sessionId}`]);
    expect(await derived('g1', day(91))).to.eql([]);
    await appendSessionEvent(store, rotated('first', 'second', { keyGeneration: 'g2' }), at);
    expect(await derived('g1')).to.eql([]);
    expect(await derived('g2')).to.eql([`session ${sessionId}`]);
    await appendSessionEvent(store, revoked('operator', { currentHash: hash('second'), keyGeneration: 'g2' }), at);
    expect(await derived('g2')).to.eql([]);
  });

  it('nothing that only has the name of a generation', async () => {
    await appendSessionEvent(store, issued({ userId: 'g3', orgId: 'g3' }), at);
    expect(await derived('g3')).to.eql([]);
  });
}

describe('secrets in use that were derived from a master key, on SQLite', () =>
  findsWhatIsInUse(async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    return { store, close: () => store.close() };
  }));

describe('secrets in use that were derived from a master key, on EventStoreDB', function () {
  this.timeout(60_000);
  findsWhatIsInUse(storeOnDouble);
});
