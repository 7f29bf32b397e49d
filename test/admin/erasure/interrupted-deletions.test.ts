import { expect } from 'chai';
import { pino } from 'pino';
import { eraseOrganisation } from '../../../src/admin/erasure/erase-organisation.js';
import { retentionWalk } from '../../../src/admin/erasure/stream-retention.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { newEvent } from '../../contract/event-store/support.js';
import { type StoreOnDouble, storeOnDouble, textsOf } from '../../stores/event-store/eventstoredb/support.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const gone = ['flow-1', 'flow-2', 'session-1', 'listener-1'];

describe('streams of EventStoreDB whose deletion was interrupted and left their last event', () => {
  let on: StoreOnDouble;

  beforeEach(async () => {
    on = await storeOnDouble();
    for (const stream of gone) {
      for (const text of ['first', 'last']) await on.store.append(stream, [newEvent({ orgId: 'acme', text })]);
    }
    for (const stream of gone) await on.client.deleteStream(stream);
  });
  afterEach(() => on.close());

  function expectNothingLeft(streams: readonly string[] = gone): void {
    on.double.scavenge();
    const left = textsOf(on.double).filter(({ stream }) => streams.includes(stream));
    expect(left.map(({ text }) => text.trim())).to.deep.equal(streams.map(() => '$StreamErased'));
  }

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
    const head = await on.store.head();
    const settings = {
      store: on.store,
      queue: {
        ...queue,
        positions: async (readers: readonly string[]) => new Map(readers.map((reader) => [reader, head])),
      },
      barrier: { close: (listenerId: string) => queue.withdraw({ listenerId }) },
      log: pino({ enabled: false }),
    };
    const context = { cause: { actor: 'admin:ops', correlationId: 'request-1' }, now: new Date() };
    expect(await eraseOrganisation(settings, 'acme', context)).to.include({ streams: 0, flowStreams: 0 });
    await queue.close();
    expectNothingLeft();
  });
});
