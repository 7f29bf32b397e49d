import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { eraseOrganisation } from '../../../src/operations/erasure/erase-organisation.js';
import { finishDeletions } from '../../../src/operations/erasure/finish-deletions.js';
import { retentionWalk } from '../../../src/operations/erasure/stream-retention.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { collect, newEvent } from '../../contract/event-store/support.js';
import { type StoreOnDouble, storeOnDouble, textsOf } from '../../stores/event-store/eventstoredb/support.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const gone = ['flow-1', 'flow-2', 'session-1', 'listener-1'];

describe('streams of EventStoreDB whose deletion left their last event', () => {
  let on: StoreOnDouble;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    on = await storeOnDouble();
    // Nothing of MongoDB is asked.
    environment = { EVENTSTOREDB_URL: on.double.url, MONGODB_URL: 'mongodb://127.0.0.1:9/none' };
    for (const stream of gone) {
      for (const text of ['first', 'last']) await on.store.append(stream, [newEvent({ orgId: 'acme', text })]);
    }
    await on.store.append('flow-alive', [newEvent({ orgId: 'acme-2', text: 'alive' })]);
    await on.store.append('elsewhere-1', [newEvent({ text: 'of another service' })]);
    for (const stream of [...gone, 'elsewhere-1']) await on.client.deleteStream(stream);
  });
  afterEach(() => on.close());

  function expectNothingLeft(streams: readonly string[] = gone): void {
    on.double.scavenge();
    const left = textsOf(on.double).filter(({ stream }) => streams.includes(stream));
    expect(left.map(({ text }) => text.trim())).to.deep.equal(streams.map(() => '$StreamErased'));
  }

  it('are found by going over all events once, those of our own categories', async () => {
    const seen: [bigint, bigint][] = [];
    expect(await finishDeletions(on.store, (position, head) => void seen.push([position, head]))).to.equal(gone.length);
    const [position, head] = seen.at(-1) ?? [];
    expect(position).to.equal(head);
    expectNothingLeft();
    expect(await collect(on.store.readStream('flow-alive'))).to.have.length(1);
    expect(textsOf(on.double).some(({ text }) => text.includes('of another service'))).to.equal(true);
  });

  it('are finished once', async () => {
    await finishDeletions(on.store);
    const { length } = on.double.everyEvent();
    expect(await finishDeletions(on.store)).to.equal(0);
    expect(on.double.everyEvent()).to.have.length(length);
  });

  it('are finished by an operator on the command line', async () => {
    expect(await runCliForJson(environment, 'store', 'finish-deletions')).to.deep.include({ streams: gone.length });
    const { stdout } = await runCli(environment, 'store', 'finish-deletions');
    expect(stdout).to.include('the deletion of 0 streams was finished');
    expectNothingLeft();
  });

  it('are not to be found in the embedded store', async () => {
    const { code, stderr } = await runCli(temporaryDirectory(), 'store', 'finish-deletions');
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: 'flow-hooks: store finish-deletions is for EventStoreDB: the embedded store deletes at once\n',
    });
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    await store.append('flow-1', [newEvent()]);
    expect(await finishDeletions(store)).to.equal(0);
    expect(await collect(store.readStream('flow-1'))).to.have.length(1);
    await store.close();
  });

  it('are finished by a retention that comes upon their events', async () => {
    const walk = retentionWalk({
      store: on.store,
      category: 'flow',
      retentionMs: 0,
      clock: () => Date.now() + 60_000,
      prepareCheck: async () => async () => false,
      erase: async () => undefined,
    });
    await walk();
    expectNothingLeft(['flow-1', 'flow-2']);
  });

  it('are finished by a repeated erasure of their organisation', async () => {
    const queue: DeliveryQueue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const settings = {
      store: on.store,
      queue: { ...queue, checkpoint: () => on.store.head() },
      barrier: { close: queue.closeGate },
    };
    const context = { cause: { actor: 'admin:ops', correlationId: 'request-1' }, now: new Date() };
    expect(await eraseOrganisation(settings, 'acme', context)).to.include({ streams: 0, flowStreams: 0 });
    await queue.close();
    expectNothingLeft();
  });
});
