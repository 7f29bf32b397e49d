import { setTimeout as pause } from 'node:timers/promises';
import { jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { Connection } from '../../../../src/stores/event-store/eventstoredb/connection/connection.js';
import {
  InvalidConnectionString,
  parseConnectionString,
} from '../../../../src/stores/event-store/eventstoredb/connection/connection-string.js';
import { Inbox } from '../../../../src/stores/event-store/eventstoredb/inbox.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import { newEvent, newStream, type StoreOnDouble, storeOnDouble } from './support.js';

describe('the connections to EventStoreDB', function () {
  this.timeout(120_000);
  let on: StoreOnDouble;

  beforeEach(async () => {
    on = await storeOnDouble();
  });

  afterEach(() => on.close());

  it('are found by asking the nodes of the cluster', async () => {
    const url = on.double.url.replace('esdb:', 'esdb+discover:');
    expect((await on.open({ url }).append(newStream(), [newEvent()])).revision).to.equal(0n);
  });

  it('take a user and a password, also where the server does not ask for them', async () => {
    const url = on.double.url.replace('esdb://', 'esdb://user:p%40ss@');
    expect((await on.open({ url }).append(newStream(), [newEvent()])).revision).to.equal(0n);
  });

  it('are refused at once where a file of certificates is not there', () => {
    expect(() => on.open({ url: 'esdb://user:secret@db?tlsCAFile=/nowhere.pem' })).to.throw(
      InvalidConnectionString,
      /tlsCAFile/,
    );
  });

  it('may break while a call finds no other node: that call fails, without other effects', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const leader = await on.startAnother();
    const leaderIsAt = { host: '127.0.0.1', port: leader.port };
    const cluster = on.double.url.replace('esdb:', 'esdb+discover:');
    const connection = new Connection(parseConnectionString(`${cluster}&maxDiscoverAttempts=2&discoveryInterval=200`), {
      callMs: 1_000,
    });
    const append = () =>
      connection.appendToStream(newStream(), jsonEvent({ type: 'x', data: {} }), {
        credentials: { username: 'user', password: 'password' },
        requiresLeader: true,
        deadline: 1_000,
      });
    await append();
    const subscription = new Inbox(connection.subscribeToAll());
    await until(() => on.double.subscriptions === 1, 'the subscription');

    // The subscription stays on its node while the appends go to the leader, and then find no node.
    await on.double.misbehave({ leaderIsAt });
    await rejection(append());
    await append();
    await on.double.misbehave({ leaderIsAt, refuseNewConnections: true });
    await leader.misbehave({ refuseConnections: true });
    await rejection(append());
    const looking = rejection(append());
    await pause(100); // well into the two tries
    on.double.dropSubscriptions({ code: 'UNAVAILABLE' });
    expect(await looking)
      .to.have.property('message')
      .that.includes('UNAVAILABLE');
    await until(() => subscription.ended !== undefined, 'the end of the subscription');
    await connection.close();
    await pause(0); // it is reported between two turns
    process.off('unhandledRejection', note);
    expect(unhandled).to.be.empty;
  });
});
