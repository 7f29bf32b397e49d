import {
  AccessDeniedError,
  type AllStreamSubscription,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { startEventStoreDouble } from '../src/start-double.js';
import { event, failureOf, readTypes, watch } from './support.js';

describe('the double of an EventStoreDB with users', () => {
  let admin: EventStoreDBClient;
  let flow: EventStoreDBClient;
  let other: EventStoreDBClient;
  let connect: (url: string) => EventStoreDBClient;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const double = await startEventStoreDouble({ version: '24.10', users: ['flow', 'other'] });
    const clients: EventStoreDBClient[] = [];
    connect = (url) => {
      const client = EventStoreDBClient.connectionString(url);
      clients.push(client);
      return client;
    };
    [admin, flow, other] = ['admin', 'flow', 'other'].map((user) => connect(double.urlOf(user))) as [
      EventStoreDBClient,
      EventStoreDBClient,
      EventStoreDBClient,
    ];
    close = async () => {
      for (const client of clients) await client.dispose();
      await double.stop();
    };
  });
  afterEach(() => close());

  async function readAll(client: EventStoreDBClient): Promise<string[]> {
    const types: string[] = [];
    for await (const { event: read } of client.readAll()) if (read) types.push(read.type);
    return types;
  }

  async function subscribe(open: () => AllStreamSubscription): Promise<void> {
    const subscription = watch(open());
    await subscription.failed();
    throw subscription.errors[0];
  }

  /** Credentials of the call make the client take the unary append. */
  const as = (username: string) => ({ credentials: { username, password: 'changeit' } });

  const denied = (error: unknown) =>
    expect(error)
      .to.be.instanceOf(AccessDeniedError)
      .and.include({ code: 7 })
      .with.property('message')
      .that.includes('PERMISSION_DENIED: Access Denied');

  it('lets a user append to, read and delete streams of users, and neither read $all nor append to streams of the system', async () => {
    await flow.appendToStream('a', event('x'));
    await flow.appendToStream('b', event('x'), as('flow'));
    expect(await readTypes(other, 'a')).to.deep.equal(['x']);
    await other.deleteStream('a');
    denied(await failureOf(readAll(flow)));
    denied(await failureOf(subscribe(() => flow.subscribeToAll())));
    denied(await failureOf(subscribe(() => flow.subscribeToAll({ filter: excludeSystemEvents() }))));
    denied(await failureOf(flow.appendToStream('$s', event('x'), as('flow'))));
    expect(await failureOf(flow.appendToStream('$s', event('x')))).to.be.instanceOf(AccessDeniedError);
    expect(await readAll(admin)).to.include('x');
  });

  it('lets a user read $all whose metadata name it', async () => {
    await flow.appendToStream('a', event('x'));
    await admin.setStreamMetadata('$all', { acl: { readRoles: ['flow', '$admins'] } });
    expect(await readAll(flow)).to.include('x');
    denied(await failureOf(readAll(other)));
    denied(await failureOf(flow.setStreamMetadata('$all', {}, as('flow'))));
  });

  it('closes the streams of users by $settings, but for those whose metadata say otherwise', async () => {
    const own = ['flow', '$admins'];
    const acl = { $r: own, $w: own, $d: own, $mr: own, $mw: own };
    await admin.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data: { $userStreamAcl: acl } }));
    await flow.appendToStream('a', event('x'));
    await flow.setStreamMetadata('open', { acl: { writeRoles: ['other'] } });
    await other.appendToStream('open', event('x'));
    for (const work of [
      () => other.appendToStream('a', event('x'), as('other')),
      () => other.deleteStream('a'),
      () => other.setStreamMetadata('a', {}, as('other')),
      () => readTypes(other, 'open'),
    ]) {
      denied(await failureOf(work()));
    }
  });

  it('knows no other password', async () => {
    const credentials = { username: 'flow', password: 'wrong' };
    expect(await failureOf(flow.appendToStream('a', event('x'), { credentials }))).to.include({ code: 16 });
  });
});
