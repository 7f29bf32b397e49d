import { expect } from 'chai';
import { eventTypes } from '../../../projections/event-types.js';
import { type OperateClient, operateClient } from '../../../src/access/clients/operate-clients.js';
import { checkKeys } from '../../../src/access/keys/fingerprint.js';
import { recordKeys } from '../../../src/access/keys/record-keys.js';
import { operateEventType } from '../../../src/flows/types/operate-event-types.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { indexedEventTypes, scannedEventTypes } from '../../../src/operations/audit/event-type-streams.js';
import { serviceHistory } from '../../../src/operations/audit/service-history.js';
import type { EventStore, RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/stores/read-model/build-name.js';
import type { ReadModel } from '../../../src/stores/read-model/read-model.js';
import { openSqliteReadModel } from '../../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { applyEvents } from '../../support/views/project-events.js';

const day = (number: number): Date => new Date(`2026-01-0${number}T00:00:00.000Z`);
const context = (number: number, actor = 'admin:ops') => ({ cause: { actor, correlationId: 'c' }, now: day(number) });

const register = (clientId: string): OperateClient => ({
  change: 'register',
  clientId,
  name: clientId,
  type: 'confidential',
  redirectUris: [`https://${clientId}.example/callback`],
  scopes: ['hooks'],
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
    expect(registered?.after).to.deep.include({ name: 'zapier', scopes: ['hooks'] });
    expect(changed?.before).to.deep.equal(registered?.after);
    expect(changed?.after).to.deep.equal({ ...registered?.after, name: 'Zapier' });
    expect(removed?.before).to.deep.equal(changed?.after);
    expect(removed?.after).to.equal(null);
  });

  describe('with event types', () => {
    let typed: EventStore;
    let readModel: ReadModel;
    const schema = { type: 'object' };
    before(async () => {
      const directory = temporaryDirectory();
      typed = openSqliteEventStore({ directory });
      readModel = openSqliteReadModel({ directory });
      await operateClient(typed, register('zapier'), context(1));
      const declare = { change: 'declare', name: 'order.paid', description: 'An order was paid', schema } as const;
      await operateEventType(typed, declare, context(2, 'admin:ann'));
      await operateEventType(typed, { ...declare, name: 'order.sent' }, context(3));
      await operateEventType(typed, { change: 'change', name: 'order.paid', example: { total: 1 } }, context(4));
      await operateEventType(typed, { change: 'retire', name: 'order.sent' }, context(5));
    });
    after(async () => {
      await readModel.close();
      await typed.close();
    });

    /** The view holds the first events of the store, up to this number. */
    async function projected(count: number) {
      const build = await readModel.open(eventTypes, buildName(eventTypes, `run-${count}`));
      await readModel.flip(eventTypes, build.name);
      const events: RecordedEvent[] = [];
      for await (const each of typed.readAll({ filter: { categories: ['eventType'] } })) events.push(each);
      await applyEvents(build, eventTypes, events.slice(0, count));
    }

    it('has each version of an event type, with its schema and example before and after it', async () => {
      const entries = await serviceHistory(typed, scannedEventTypes(typed), {});
      expect(entries.map(({ type, eventType, actor }) => [type, eventType, actor])).to.deep.equal([
        ['ClientRegistered', null, 'admin:ops'],
        ['EventTypeDeclared', 'order.paid', 'admin:ann'],
        ['EventTypeDeclared', 'order.sent', 'admin:ops'],
        ['EventTypeChanged', 'order.paid', 'admin:ops'],
        ['EventTypeRetired', 'order.sent', 'admin:ops'],
      ]);
      const declared = { state: 'declared', version: 1, description: 'An order was paid', schema, example: null };
      expect(entries[3]?.before).to.deep.equal(declared);
      expect(entries[3]?.after).to.deep.equal({ ...declared, version: 2, example: { total: 1 } });
      expect(entries[4]?.after).to.deep.equal({ ...declared, state: 'retired' });
    });

    it('is the same by the view, however far behind it is, and fails without one', async () => {
      const scanned = await serviceHistory(typed, scannedEventTypes(typed), {});
      const indexed = () => serviceHistory(typed, indexedEventTypes(typed, readModel), {});
      expect(await rejection(indexed())).to.be.instanceOf(StoreUnavailable);
      for (const count of [0, 1, 3, 4]) {
        await projected(count);
        expect(await indexed(), `${count} events`).to.deep.equal(scanned);
      }
    });
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
