import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BACKWARDS, END, EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import { startDoubleProcess } from '../src/double-process.js';
import { event, events, failureOf, isPending, readTypes, watch } from './support.js';

describe('the double in its own process', () => {
  it('has after a kill -9 everything that it had acknowledged', async () => {
    const dataFile = join(mkdtempSync(join(tmpdir(), 'eventstoredb-double-')), 'data.jsonl');
    const killed = await startDoubleProcess({ dataFile });
    const before = EventStoreDBClient.connectionString(killed.url);
    await before.appendToStream('orders', events(3));
    await before.appendToStream('carts', events(1));
    await before.deleteStream('carts');
    const { position } = await before.appendToStream('orders', event('last'));
    await killed.kill('SIGKILL');
    await before.dispose();

    const restarted = await startDoubleProcess({ dataFile, port: Number(new URL(killed.url).port) });
    const after = EventStoreDBClient.connectionString(restarted.url);
    expect(restarted.url).to.equal(killed.url);
    expect(await readTypes(after, 'orders')).to.deep.equal(['e0', 'e1', 'e2', 'last']);
    expect(await failureOf(readTypes(after, 'carts'))).to.be.instanceOf(StreamNotFoundError);
    for await (const { event } of after.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }))
      expect(event?.position).to.deep.equal(position);
    await after.dispose();
    expect(await restarted.kill('SIGTERM')).to.equal(0);
  });

  it('can be told over its control port to misbehave, to behave and to be restarted', async () => {
    const told = await startDoubleProcess();
    const client = EventStoreDBClient.connectionString(told.url);
    await client.appendToStream('orders', events(1));
    const live = watch(client.subscribeToStream('orders'));
    await live.has('(caughtUp)');
    expect(await told.tell('drop-subscriptions', { code: 'UNKNOWN' })).to.equal(1);
    await live.failed();

    await told.tell('misbehave', { silent: true });
    const waiting = client.appendToStream('orders', events(1));
    expect(await isPending(waiting)).to.equal(true);
    await told.tell('behave');
    await waiting;

    await told.tell('restart', { keepData: false });
    const after = EventStoreDBClient.connectionString(told.url);
    expect(await failureOf(readTypes(after, 'orders'))).to.be.instanceOf(StreamNotFoundError);
    expect(await failureOf(told.tell('sing'))).to.be.instanceOf(Error);
    await Promise.all([client.dispose(), after.dispose()]);
    expect(await told.kill('SIGTERM')).to.equal(0);
  });
});
