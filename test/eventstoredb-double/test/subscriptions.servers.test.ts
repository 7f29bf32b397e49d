import { END, START, TimeoutError, UnavailableError, UnknownError } from '@eventstore/db-client';
import { expect } from 'chai';
import { type DoubleForTest, events, failureOf, startDoubleForTest, until, watch } from './support.js';

describe('the double of EventStoreDB and its subscriptions', () => {
  let double: DoubleForTest['double'];
  let client: DoubleForTest['client'];
  let connect: DoubleForTest['connect'];
  let append: DoubleForTest['append'];
  let close: DoubleForTest['close'];

  beforeEach(async () => {
    ({ double, client, connect, append, close } = await startDoubleForTest());
  });

  afterEach(() => close());

  describe('told about subscriptions', () => {
    it('drops them as slow consumers; subscribing behind the last event loses and repeats nothing', async () => {
      await client.appendToStream('orders', events(3));
      const dropped = watch(client.subscribeToStream('orders'));
      await dropped.has('(caughtUp)');
      expect(double.dropSubscriptions()).to.equal(1);
      await dropped.failed();
      expect(dropped.errors[0]).to.be.instanceOf(TimeoutError).and.to.have.property('code', 10);

      await append('orders', 'e3');
      const resumed = watch(client.subscribeToStream('orders', { fromRevision: 2n }));
      await resumed.has('(caughtUp)');
      expect(resumed.log).to.deep.equal(['e3', '(caughtUp)']);
    });

    it('drops them with other codes, of which the client makes other errors', async () => {
      const codes = {
        UNKNOWN: [UnknownError, 2],
        INTERNAL: [UnknownError, 13],
        UNAVAILABLE: [UnavailableError, 14],
      } as const;
      for (const [name, [kind, code]] of Object.entries(codes)) {
        const subscription = watch(connect().subscribeToAll({ fromPosition: END }));
        await subscription.has('(caughtUp)');
        // The keys of an object literal are the names that it was written with.
        double.dropSubscriptions({ code: name as keyof typeof codes });
        await subscription.failed();
        expect(subscription.errors[0]).to.be.instanceOf(kind).and.to.have.property('code', code);
      }
    });

    it('ends them without an error: a loop over one is simply over', async () => {
      await append('orders', 'placed');
      const seen: (string | undefined)[] = [];
      const loop = (async () => {
        for await (const { event } of client.subscribeToStream('orders')) seen.push(event?.type);
      })();
      await until(() => seen.length === 1, 'the event');
      double.endSubscriptions();
      await loop;
      expect(seen).to.deep.equal(['placed']);
    });

    it('drops each after a number of events; who resumes gets on nevertheless', async () => {
      await client.appendToStream('orders', events(10));
      await double.misbehave({ dropSubscriptionsAfter: { events: 4, code: 'INTERNAL' } });
      const seen: bigint[] = [];
      let drops = 0;
      while (seen.length < 10) {
        const subscription = client.subscribeToStream('orders', { fromRevision: seen.at(-1) ?? START });
        const failure = await failureOf(
          (async () => {
            for await (const { event } of subscription) {
              if (event && seen.push(event.revision) === 10) break;
            }
          })(),
        );
        if (failure) drops += 1;
      }
      expect(seen).to.deep.equal(Array.from({ length: 10 }, (_, i) => BigInt(i)));
      expect(drops).to.equal(2);
    });
  });
});
