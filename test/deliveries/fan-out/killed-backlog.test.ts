import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import {
  costly,
  other,
  otherListener,
  plainListener,
  publishTo,
  startFanOutOf,
  untilHandedOver,
} from '../../support/deliveries/costly-organisation.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const child = fileURLToPath(new URL('../../support/deliveries/backlog-child.js', import.meta.url));
const rounds = 4;
const maxBatches = 6;
/** More than the batches of all rounds: a child that has handed over all of them ends. */
const events = 30;

describe('a fan-out whose process is killed while events of an organisation wait', () => {
  it('hands over every event to every listener once', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    for (let number = 0; number < events; number += 1) {
      await publishTo(store, costly, number);
      await publishTo(store, other, number);
    }
    let killedBehind = 0;
    for (let round = 0; round < rounds; round += 1) {
      await runUntilKilled(directory, 2 + Math.floor(Math.random() * (maxBatches - 1)));
      const queue = openSqliteDeliveryQueue({ directory });
      if ((await queue.waiting(['fan-out'], costly))[0]) killedBehind += 1;
      await queue.close();
    }
    expect(killedBehind, 'killed while events waited').to.be.above(0);

    const queue = openSqliteDeliveryQueue({ directory });
    const fanOut = startFanOutOf(store, queue);
    await untilHandedOver(store, queue);
    await fanOut.stop();
    for (const { orgId, listenerId } of [plainListener, otherListener]) {
      const found = (await queue.deliveries({ orgId, listenerId, limit: 1_000 })).deliveries;
      expect(found.map(({ state }) => state)).to.deep.equal(Array.from({ length: events }, () => 'waiting'));
      expect(new Set(found.map(({ eventId }) => eventId))).to.have.lengthOf(events);
    }
    await queue.close();
    await store.close();
  }).timeout(120_000);
});

/** Kills it once it has enqueued this many batches. */
async function runUntilKilled(directory: string, batches: number): Promise<void> {
  const fanOut = fork(child, [directory]);
  let enqueued = 0;
  const exited = once(fanOut, 'exit');
  await new Promise<void>((resolve, reject) => {
    fanOut.on('message', () => {
      enqueued += 1; // several may arrive in one turn
      if (enqueued === batches) resolve();
    });
    void exited.then(() => reject(new Error('the child has ended')));
  });
  fanOut.kill('SIGKILL');
  await exited;
}
