import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type TargetGuard, targetGuard } from '../../src/deliveries/target-guard/target-guard.js';
import { permitMs } from '../../src/deliveries/worker/gates.js';
import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openMongoDb } from '../../src/stores/mongodb/mongodb-database.js';
import { startEngine } from '../support/deliveries/delivery-engine.js';
import { raceUnsubscribes } from '../support/deliveries/unsubscribe-race.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';

const rounds = 5;
const listenersPerRound = 40;

/** Delays connections, so that posts start when their permits are about to expire, and the other instance waits for that. */
function slowToConnect(): TargetGuard {
  const guard = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] });
  return {
    ...guard,
    connect: (options, callback) => void setTimeout(() => guard.connect(options, callback), Math.random() * permitMs),
  };
}

onMongoDb('the unsubscribe barrier of two instances', ({ server, database }) => {
  it(`lets no post start, from either of two instances, after any of ${rounds * listenersPerRound} unsubscribes on one of them`, async () => {
    const ours = database(randomUUID());
    const theirs = openMongoDb({ url: server.url, database: ours.db.databaseName });
    const shared = { attempts: { concurrency: 32 }, guard: slowToConnect(), otherInstances: true };
    const one = await startEngine({ queue: await openMongoDeliveryQueue(ours), ...shared });
    const { store, periods } = one;
    const other = await startEngine({
      queue: await openMongoDeliveryQueue(theirs),
      store,
      periods,
      ...shared,
    });

    const { late, sent, counts } = await raceUnsubscribes([one, other], {
      rounds,
      listenersPerRound,
      withinMs: 600,
      keepAlive: false,
    });

    for (const each of [other, one]) {
      await each.stop();
      await each.queue.close();
    }
    await theirs.close();

    expect(late).to.deep.equal([]);
    expect(counts.waiting).to.equal(0);
    expect(sent, 'posts that were made in time').to.be.greaterThan(0);
    expect(counts.cancelled, 'deliveries that came too late').to.be.greaterThan(0);
  }).timeout(120_000);
});
