import { randomUUID } from 'node:crypto';
import { startEventStoreCluster } from '../../test/support/eventstoredb/start-cluster.js';
import { startMongoDb } from '../../test/support/mongodb/start-mongodb.js';
import { startReceiver } from '../../test/support/receivers-of-listeners/receiver.js';
import { freezeRound, startOnOneFollower } from '../../test/support/service/freeze-round.js';
import { startService } from '../../test/support/service/service.js';
import { inDatabase } from '../support/servers.js';

/**
 * Interruption of the service by a frozen EventStoreDB node (of the double). Takes 15 minutes, so it runs by itself:
 * `node dist/bench/figures/frozen-node.js [part of a kind's name]`.
 */
const freezes = 10;
const kinds = [
  { what: 'leader, an event every 7 s', role: 'leader', everyMs: 7_000 },
  { what: 'leader, 20 events a second', role: 'leader', everyMs: 50 },
  { what: 'follower, an event every 7 s', role: 'follower', everyMs: 7_000 },
  { what: 'follower, 20 events a second', role: 'follower', everyMs: 50 },
] as const;

const mongoDb = await startMongoDb();
console.log('| frozen | freeze | appends again, s | events at the listener again, s | refused | lost | in order |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
const asked = process.argv[2] ?? '';
for (const { what, role, everyMs } of kinds.filter(({ what }) => what.includes(asked))) {
  for (let number = 1; number <= freezes; number += 1) {
    const cluster = await startEventStoreCluster();
    const receiver = await startReceiver();
    const environment = {
      EVENTSTOREDB_URL: `${cluster.url}&nodePreference=${role}`,
      MONGODB_URL: inDatabase(mongoDb.url, `frozen_node_${randomUUID().slice(0, 8)}`),
    };
    const { service, follower } = await startOnOneFollower(cluster, receiver, () => startService({ environment }));
    const frozen = role === 'leader' ? cluster.leader : follower;
    if (!frozen) throw new Error('there is no leader');
    const outcome = await freezeRound({ service, cluster, receiver, frozen, everyMs });
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    const columns = [
      ...[what, number, seconds(outcome.appendsAgainMs), seconds(outcome.eventsAgainMs)],
      ...[`${outcome.refused} of ${outcome.published}`, outcome.lost.length, outcome.isInOrder ? 'yes' : 'no'],
    ];
    console.log(`| ${columns.join(' | ')} |`);
    await service.stop();
    await receiver.close();
    await cluster.stop();
  }
}
await mongoDb.stop?.();
process.exit(); // a socket that both ends reset at once may never report its close
