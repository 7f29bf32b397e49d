import { setTimeout as pause } from 'node:timers/promises';
import { DeadlineExceededError, END, NotLeaderError, UnavailableError } from '@eventstore/db-client';
import { expect } from 'chai';
import { startEventStoreDouble } from '../src/start-double.js';
import {
  type DoubleForTest,
  event,
  failureOf,
  isPending,
  readTypes,
  startDoubleForTest,
  unary,
  watch,
} from './support.js';

describe('the double of EventStoreDB, told to misbehave', () => {
  let double: DoubleForTest['double'];
  let client: DoubleForTest['client'];
  let connect: DoubleForTest['connect'];
  let append: DoubleForTest['append'];
  let afterwards: DoubleForTest['afterwards'];
  let close: DoubleForTest['close'];

  beforeEach(async () => {
    ({ double, client, connect, append, afterwards, close } = await startDoubleForTest());
  });

  afterEach(() => close());

  describe('told to refuse connections', () => {
    it('cuts those that are open and takes no others, until it behaves', async () => {
      await append('orders', 'placed');
      const live = watch(client.subscribeToStream('orders'));
      await live.has('(caughtUp)');
      await double.misbehave({ refuseConnections: true });
      await live.failed();
      expect(live.errors[0]).to.be.instanceOf(UnavailableError);
      expect(await failureOf(readTypes(connect(), 'orders'))).to.be.instanceOf(UnavailableError);

      await double.behave();
      expect(await readTypes(connect(), 'orders')).to.deep.equal(['placed']);
    });

    it('serves those that are open when told to refuse only new ones', async () => {
      await append('orders', 'placed');
      await double.misbehave({ refuseNewConnections: true });
      await append('orders', 'paid');
      // Clients with the same options share a connection; this one has its own option.
      const late = connect(double.url, '&keepAliveInterval=12345');
      expect(await failureOf(readTypes(late, 'orders'))).to.be.instanceOf(UnavailableError);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed', 'paid']);
    });
  });

  describe('told to be silent', () => {
    it('leaves an append without an answer, and carries it out once it behaves', async () => {
      await append('orders', 'placed');
      await double.misbehave({ silent: true });
      const waiting = append('orders', 'paid');
      expect(await isPending(waiting)).to.equal(true);
      await double.behave();
      await waiting;
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed', 'paid']);
    });

    it('never carries out an append that was given up in the meantime', async () => {
      await append('orders', 'placed');
      await double.misbehave({ silent: true });
      expect(await failureOf(append('orders', 'paid', unary(500)))).to.be.instanceOf(DeadlineExceededError);
      await pause(300); // The server has yet to hear that the call is cancelled.
      await double.behave();
      await pause(300);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
    });

    it('forgets uncommitted events when it is restarted', async () => {
      await append('orders', 'placed');
      await double.misbehave({ silent: true });
      const batch = failureOf(append('orders', 'batch'));
      const single = failureOf(append('orders', 'single', unary()));
      await pause(50);
      await double.restart({ keepData: true });
      expect([await batch, await single].map((error) => error instanceof UnavailableError)).to.deep.equal([true, true]);
      await pause(50);
      expect(await readTypes(connect(), 'orders')).to.deep.equal(['placed']);
    });

    it('says nothing to subscriptions, and then everything in order', async () => {
      await append('orders', 'opened');
      const live = watch(client.subscribeToStream('orders', { fromRevision: END }));
      await live.has('(caughtUp)');
      await double.misbehave({ silent: true });
      const waiting = Promise.all([append('orders', 'placed'), append('orders', 'paid')]);
      await pause(100);
      expect(live.log).to.deep.equal(['(caughtUp)']);
      await double.behave();
      await waiting;
      await live.has('paid');
      expect(live.log).to.deep.equal(['(caughtUp)', 'placed', 'paid']);
    });
  });

  describe('told to answer late', () => {
    it('has carried out an append whose caller gave up before the answer', async () => {
      await append('orders', 'placed');
      await double.misbehave({ answerLateMs: 2_000 });
      expect(await failureOf(append('orders', 'paid', unary(500)))).to.be.instanceOf(DeadlineExceededError);
      await double.behave();
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed', 'paid']);
    });

    it('answers appends and tells live events after the delay', async () => {
      const live = watch(client.subscribeToStream('orders', { fromRevision: END }));
      await live.has('(caughtUp)');
      await append('orders', 'placed');
      await double.misbehave({ answerLateMs: 200 });
      const startedAt = performance.now();
      const answered = append('orders', 'paid').then(() => performance.now() - startedAt);
      await live.has('paid');
      expect(performance.now() - startedAt).to.be.greaterThan(190);
      expect(await answered).to.be.greaterThan(190);
    });
  });

  describe('told to lose the answers of appends', () => {
    const placed = event('placed');

    it('leaves as many batch appends as told without an answer; sent again, they are recognised', async () => {
      await double.misbehave({ loseAppendAnswers: { times: 1 } });
      const lost = client.appendToStream('orders', placed, { expectedRevision: 'no_stream' });
      const failure = failureOf(lost);
      expect(await isPending(failure)).to.equal(true);
      const again = await client.appendToStream('orders', placed, { expectedRevision: 'no_stream' });
      expect(again.nextExpectedRevision).to.equal(0n);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
    });

    it('lets a unary append run into its deadline, though it is written', async () => {
      await double.misbehave({ loseAppendAnswers: {} });
      const failure = await failureOf(client.appendToStream('orders', placed, unary(100)));
      expect(failure).to.be.instanceOf(DeadlineExceededError);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
    });

    it('cuts the connection of the caller instead, when told so', async () => {
      await double.misbehave({ loseAppendAnswers: { times: 2, by: 'disconnect' } });
      expect(await failureOf(client.appendToStream('orders', placed))).to.be.instanceOf(UnavailableError);
      expect(await failureOf(client.appendToStream('orders', placed, unary()))).to.be.instanceOf(UnavailableError);
      await client.appendToStream('orders', placed);
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
    });
  });

  describe('told that another node is the leader', () => {
    it('refuses writes on both paths; the client then writes to the leader', async () => {
      const leader = await startEventStoreDouble();
      afterwards(() => leader.stop());
      await double.misbehave({ leaderIsAt: { host: '127.0.0.1', port: leader.port } });
      const other = connect();
      expect(await failureOf(append('orders', 'batch'))).to.be.instanceOf(NotLeaderError);
      expect(await failureOf(append('orders', 'single', unary(), other))).to.be.instanceOf(NotLeaderError);
      await append('orders', 'placed');
      await append('orders', 'paid', unary(), other);
      expect(await readTypes(connect(leader.url), 'orders')).to.deep.equal(['placed', 'paid']);
    });

    it('serves reads, save those that require the leader', async () => {
      await append('orders', 'placed');
      await double.misbehave({ leaderIsAt: { host: '127.0.0.1', port: 1 } });
      expect(await readTypes(client, 'orders')).to.deep.equal(['placed']);
      const strict = (async () => {
        for await (const _ of client.readStream('orders', { requiresLeader: true }));
      })();
      expect(await failureOf(strict)).to.be.instanceOf(NotLeaderError);
    });
  });
});
