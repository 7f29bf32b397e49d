import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

onMongoDb('deliveries under way at an instance that stops', (mongoDb) => {
  describe('deliveries under way at an instance', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let leasing: ServiceProcess;

    before(async () => {
      receiver = await startReceiver(0, { keepAlive: false });
      cluster = await startCluster(mongoDb);
      leasing = await cluster.startInstance();
      await subscribe(leasing, `${receiver.origin}/hook`);
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
    });

    for (const [what, signal] of [
      ['frozen', 'SIGSTOP'],
      ['killed', 'SIGKILL'],
    ] as const)
      it(`are repeated within seconds where it is ${what}`, async () => {
        const before = receiver.received.length;
        receiver.answer('nothing');
        await publish(leasing, { type: 'flow.completed', data: {} });
        await receiver.has(before + 1);
        const other = await cluster.startInstance();
        await until(async () => (await other.fetch('/readyz')).status === 200, 'the other instance to be ready');
        receiver.answer(200);
        process.kill(leasing.pid, signal);
        // The lease alone would keep the delivery for a minute.
        await until(() => receiver.received.length === before + 2, 'the second post', { limitMs: 45_000 });
        const [first, second] = receiver.received.slice(before);
        expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
        await leasing.stop('SIGKILL'); // the next test has one instance, as this one had at its begin
        leasing = other;
      });
  });
});
