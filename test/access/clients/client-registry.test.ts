import { expect } from 'chai';
import { hasSecret } from '../../../src/access/clients/client.js';
import { clientMemoryMs, clientRegistry } from '../../../src/access/clients/client-registry.js';
import { type OperateClient, operateClient } from '../../../src/access/clients/operate-clients.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { client, later, publicClient, secret } from './fixtures.js';

const zapier: OperateClient = {
  change: 'register',
  clientId: 'zapier',
  name: 'Zapier',
  type: 'confidential',
  redirectUris: ['https://zapier.example/callback'],
  scopes: ['listeners'],
};

describe('the registry of clients', () => {
  let events: EventStore;
  let reads: number;
  let failing: boolean;
  let ms: number;
  const context = () => ({ cause: { actor: 'test', correlationId: 'test' }, now: new Date() });
  const open = () => {
    const store: EventStore = {
      ...events,
      readStream(...args) {
        reads += 1;
        if (failing) throw new StoreUnavailable('down');
        return events.readStream(...args);
      },
    };
    return clientRegistry(store, () => ms);
  };
  beforeEach(() => {
    events = openSqliteEventStore({ directory: temporaryDirectory() });
    [reads, failing, ms] = [0, false, 1_000];
  });
  afterEach(() => events.close());

  it('is empty where no client was ever registered', async () => {
    expect((await open().current()).size).to.equal(0);
  });

  it('reads once for all uses within half a second, also for uses at once', async () => {
    const registry = open();
    await Promise.all([registry.current(), registry.current()]);
    ms += clientMemoryMs - 1;
    await registry.current();
    expect(reads).to.equal(1);
  });

  it('has every change after half a second, on each instance', async () => {
    const instances = [open(), open()];
    const seen = async () => Promise.all(instances.map(async (each) => [...(await each.current()).keys()]));
    expect(await seen()).to.deep.equal([[], []]);
    await operateClient(events, zapier, context());
    ms += clientMemoryMs;
    expect(await seen()).to.deep.equal([['zapier'], ['zapier']]);
    await operateClient(events, { change: 'remove', clientId: 'zapier' }, context());
    ms += clientMemoryMs;
    expect(await seen()).to.deep.equal([[], []]);
  });

  it('throws the error of the store, and reads again at the next use', async () => {
    const registry = open();
    failing = true;
    expect(await rejection(registry.current())).to.be.instanceOf(StoreUnavailable);
    failing = false;
    expect((await registry.current()).size).to.equal(0);
  });

  it('has no usable secret in the events of a client', async () => {
    const { clientSecret = '' } = await operateClient(events, zapier, context());
    expect(clientSecret).to.match(/^fhc_[\w-]{43}$/);
    const registered = (await open().current()).get('zapier');
    expect(registered && hasSecret(registered, clientSecret, new Date())).to.equal(true);
    for await (const { data } of events.readStream('service-clients')) {
      expect(JSON.stringify(data)).to.not.include(clientSecret.slice('fhc_'.length));
    }
  });
});

describe('the secrets of a client', () => {
  it('are valid both during a rotation, until the end of the previous one', async () => {
    const two = client({ secrets: [secret('unused'), secret('unused', later(0), later(1_000))] });
    expect(hasSecret(two, 'unused', later(0)), 'a hash is no secret').to.equal(false);
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const context = { cause: { actor: 'test', correlationId: 'test' }, now: later(0) };
    const first = (await operateClient(store, zapier, context)).clientSecret ?? '';
    const rotation = { change: 'rotate-secret', clientId: 'zapier', overlapHours: 1, discardNewest: false } as const;
    const rotated = await operateClient(store, rotation, context);
    const second = rotated.clientSecret ?? '';
    const accepted = (at: Date) =>
      [first, second].filter((each) => rotated.client && hasSecret(rotated.client, each, at));
    expect(accepted(later(3_599_999))).to.deep.equal([first, second]);
    expect(accepted(later(3_600_000))).to.deep.equal([second]);
    await store.close();
  });

  it('are none of a public client', () => expect(hasSecret(publicClient(), '', later(0))).to.equal(false));
});
