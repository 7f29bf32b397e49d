import {
  END,
  StreamNotFoundError,
  streamNameFilter,
  TimeoutError,
  UnavailableError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { type DoubleForTest, events, failureOf, readTypes, startDoubleForTest, watch } from './support.js';

describe('the double of EventStoreDB', () => {
  let double: DoubleForTest['double'];
  let client: DoubleForTest['client'];
  let connect: DoubleForTest['connect'];
  let append: DoubleForTest['append'];
  let close: DoubleForTest['close'];

  beforeEach(async () => {
    ({ double, client, connect, append, close } = await startDoubleForTest());
  });

  afterEach(() => close());

  describe('while it behaves', () => {
    it('returns appended events, and refuses a stale expectation', async () => {
      await append('orders', 'placed');
      const stale = failureOf(append('orders', 'paid', { expectedRevision: 7n }));
      expect(await stale).to.be.instanceOf(WrongExpectedVersionError);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
    });

    it('drops a live subscription by a burst of 500 events, and not by one of 200', async () => {
      const healthy = watch(client.subscribeToStream('small-burst', { fromRevision: END }));
      await healthy.has('(caughtUp)');
      await client.appendToStream('small-burst', events(200));
      await healthy.has('e199');

      const overrun = watch(client.subscribeToStream('large-burst', { fromRevision: END }));
      await overrun.has('(caughtUp)');
      await client.appendToStream('large-burst', events(500));
      await overrun.failed();
      expect(overrun.errors[0]).to.be.instanceOf(TimeoutError);
      expect(overrun.log.length).to.be.greaterThan(32).and.lessThan(500);
    });

    it('says how far a filtered subscription is, and lets it be resumed there', async () => {
      await client.appendToStream('noise', events(100));
      const checkpoints: bigint[] = [];
      const filter = streamNameFilter({
        prefixes: ['orders'],
        maxSearchWindow: 10,
        checkpointReached: async (_, { commit }) => {
          checkpoints.push(commit);
        },
      });
      await watch(client.subscribeToAll({ filter })).has('(caughtUp)');
      expect(checkpoints).to.have.lengthOf(10);

      const commit = checkpoints.at(-1) ?? 0n;
      const resumed = watch(client.subscribeToAll({ filter, fromPosition: { commit, prepare: 0n } }));
      await append('orders', 'placed');
      await resumed.has('placed');
    });
  });

  describe('restarted', () => {
    it('has its data, on the same port; subscriptions have failed', async () => {
      await append('orders', 'placed');
      const live = watch(client.subscribeToStream('orders'));
      await live.has('(caughtUp)');
      await double.restart({ keepData: true });
      await live.failed();
      expect(live.errors[0]).to.be.instanceOf(UnavailableError);
      await append('orders', 'paid', { expectedRevision: 0n });
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed', 'paid']);
    });

    it('knows nothing of before when its data are not kept', async () => {
      const { position } = await append('orders', 'placed');
      await double.restart({ keepData: false });
      const again = connect();
      expect(await failureOf(readTypes(again, 'orders'))).to.be.instanceOf(StreamNotFoundError);
      const { nextExpectedRevision, ...first } = await append(
        'orders',
        'other',
        { expectedRevision: 'no_stream' },
        again,
      );
      expect(nextExpectedRevision).to.equal(0n);
      expect(first.position).to.deep.equal(position);
    });
  });

  it('ends subscriptions, when it is stopped, as a server that shuts down', async () => {
    const live = watch(client.subscribeToAll({ fromPosition: END }));
    await live.has('(caughtUp)');
    await double.stop();
    expect(live.errors[0]).to.be.instanceOf(UnknownError).and.to.have.property('code', 13);
  });
});
