import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../../src/kernel/store-errors.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import { eventsOf, newEvent, newStream, patient, type StoreOnDouble, storeOnDouble } from './support.js';

describe('an EventStoreDB that refuses access', () => {
  let on: StoreOnDouble;
  let admin: EventStoreDBClient;

  beforeEach(async () => {
    on = await storeOnDouble(patient, { version: '24.10', users: ['flow'] });
    admin = EventStoreDBClient.connectionString(on.double.urlOf('admin'));
  });
  afterEach(async () => {
    await admin.dispose();
    await on.close();
  });

  async function refusal(work: Promise<unknown>): Promise<string> {
    const error = await rejection(work);
    expect(error).to.be.instanceOf(StoreUnavailable);
    return (error as StoreUnavailable).message;
  }

  it('to $all: the message names this right and the page about rights, also for operators', async () => {
    const said = /no right to read \$all.*docs\/installing\.md/;
    expect(await refusal(on.store.head())).to.match(said);
    expect(on.store.status().error).to.match(said);
    await on.store.append(newStream(), [newEvent()]);
    expect(on.store.status().connected).to.equal(true);

    const ended = new AbortController();
    const batches = on.store.subscribe({ signal: ended.signal })[Symbol.asyncIterator]();
    const first = batches.next();
    await until(() => on.store.status().error !== undefined, 'the status to name it');
    expect(on.store.status().error).to.match(said);
    await admin.setStreamMetadata('$all', { acl: { readRoles: ['flow', '$admins'] } });
    expect((await first).value?.events).to.have.length(1);
    ended.abort();
    await batches.return?.();
  });

  for (const [closed, work, right, call] of [
    ['$r', 'a read', 'read streams', (stream: string) => eventsOf(on.store, stream)],
    ['$w', 'an append', 'append to streams', (stream: string) => on.store.append(stream, [newEvent()])],
    ['$d', 'a deletion', 'delete streams', (stream: string) => on.store.deleteStream(stream)],
    ['$w', 'the second step of a deletion', 'append to streams', (stream: string) => on.store.deleteStream(stream)],
  ] as const) {
    it(`to streams that it closes by ${closed}: the message of ${work} names the right to ${right}`, async () => {
      const stream = newStream();
      await on.store.append(stream, [newEvent()]);
      const data = { $userStreamAcl: { [closed]: '$admins' } };
      await admin.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }));
      expect(await refusal(call(stream))).to.include(`gives our user no right to ${right}:`);
    });
  }

  it('to a user with another password: the message says so, and does not hold it', async () => {
    const stranger = on.open({ url: on.double.url.replace('changeit', 'secret') });
    expect(await refusal(stranger.head()))
      .to.match(/user or password/)
      .and.not.include('secret');
  });
});
