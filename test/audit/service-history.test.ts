import { expect } from 'chai';
import { type OperateClient, operateClient } from '../../src/access/clients/operate-clients.js';
import { checkKeys, recordKeys } from '../../src/access/keys/recorded-keys.js';
import { scannedEventTypes } from '../../src/audit/find-streams.js';
import { serviceHistory } from '../../src/audit/service-history.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const day = (number: number): Date => new Date(`2026-01-0${number}T00:00:00.000Z`);
const context = (number: number, actor = 'admin:ops') => ({ cause: { actor, correlationId: 'c' }, now: day(number) });

const register = (clientId: string): OperateClient => ({
  change: 'register',
  clientId,
  name: clientId,
  type: 'confidential',
  redirectUris: [`https://${clientId}.example/callback`],
  scopes: ['listeners'],
});

describe('the history of the service', () => {
  let store: EventStore;
  before(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    const inUse = { masterKeys: { g1: 'fingerprint' }, signingKeys: ['thumbprint'], signsFrom: {} };
    await checkKeys(store, { ...inUse, signer: 'thumbprint', derivesFrom: 'g1' }, recordKeys, context(1, 'service'));
    await operateClient(store, register('zapier'), context(2));
    await operateClient(store, register('make'), context(3));
    await operateClient(store, { change: 'change', clientId: 'zapier', name: 'Zapier' }, context(4, 'operator:ann'));
    await operateClient(store, { change: 'remove', clientId: 'zapier' }, context(5));
  });
  after(() => store.close());

  it('has every change to clients and keys, with its time and actor, and the client before and after it', async () => {
    const entries = await serviceHistory(store, scannedEventTypes(store), {});
    expect(entries.map(({ at, type, actor, clientId }) => [at.slice(8, 10), type, actor, clientId])).to.deep.equal([
      ['01', 'KeysRecorded', 'service', null],
      ['02', 'ClientRegistered', 'admin:ops', 'zapier'],
      ['03', 'ClientRegistered', 'admin:ops', 'make'],
      ['04', 'ClientChanged', 'operator:ann', 'zapier'],
      ['05', 'ClientRemoved', 'admin:ops', 'zapier'],
    ]);
    const [keys, registered, , changed, removed] = entries;
    expect(keys?.after).to.deep.equal({
      masterKeys: ['g1'],
      signingKeys: ['thumbprint'],
      signsFrom: {},
      retired: { masterKeys: [], signingKeys: [] },
    });
    expect(registered?.before).to.equal(null);
    expect(registered?.after).to.deep.include({ name: 'zapier', scopes: ['listeners'] });
    expect(changed?.before).to.deep.equal(registered?.after);
    expect(changed?.after).to.deep.equal({ ...registered?.after, name: 'Zapier' });
    expect(removed?.before).to.deep.equal(changed?.after);
    expect(removed?.after).to.equal(null);
  });

  it('has no hash of a secret', async () =>
    expect(JSON.stringify(await serviceHistory(store, scannedEventTypes(store), {}))).to.not.match(/hash/));

  it('is read by time, and in pages', async () => {
    const range = { from: day(2), to: day(3) };
    expect(
      (await serviceHistory(store, scannedEventTypes(store), range)).map(({ clientId }) => clientId),
    ).to.deep.equal(['zapier', 'make']);
    const all = await serviceHistory(store, scannedEventTypes(store), {});
    const [, second] = all;
    const page = await serviceHistory(
      store,
      scannedEventTypes(store),
      {},
      { after: BigInt(second?.position ?? 0), limit: 2 },
    );
    expect(page).to.deep.equal(all.slice(2, 4));
    expect(
      await rejection(serviceHistory(store, scannedEventTypes(store), { from: day(3), to: day(2) })),
    ).to.be.instanceOf(InvalidRequest);
  });

  it('is empty in a new store', async () => {
    const empty = openSqliteEventStore({ directory: temporaryDirectory() });
    expect(await serviceHistory(empty, scannedEventTypes(empty), {})).to.deep.equal([]);
    await empty.close();
  });
});
