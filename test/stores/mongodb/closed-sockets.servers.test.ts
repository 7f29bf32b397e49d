import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../../src/stores/mongodb/mongodb-errors.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

onMongoDb('connections that are closed', ({ server }) => {
  describe('a closed socket that has not emitted `close` yet', () => {
    const sockets: Socket[] = [];
    let database: MongoDatabase;

    const keep = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
    const ping = () => withMongoErrors(() => database.db.command({ ping: 1 }));
    const foundAgain = () =>
      until(
        () =>
          ping().then(
            () => true,
            () => false,
          ),
        'the server to be found again',
      );

    beforeEach(async () => {
      subscribe('net.client.socket', keep);
      database = openMongoDb({ url: server.url });
      await ping();
    });
    afterEach(async () => {
      unsubscribe('net.client.socket', keep);
      await database.close();
    });

    for (const [what, close] of [
      ['is destroyed', (socket: Socket) => socket.destroy()],
      ['is ended', (socket: Socket) => socket.end()],
    ] as const) {
      const closeAll = () => sockets.splice(0).forEach(close);

      it(`fails the command that is written to it where it ${what}`, async () => {
        closeAll();
        expect(await rejection(ping())).to.be.instanceOf(StoreUnavailable);
        await foundAgain();
      });

      it(`does not end the heartbeat for good where it ${what}`, async () => {
        await new Promise<void>((resolve) => {
          database.db.client.once('serverHeartbeatStarted', () => {
            closeAll(); // including the heartbeat's
            resolve();
          });
        });
        await foundAgain();
      });
    }
  });
});
