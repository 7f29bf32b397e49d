import { expect } from 'chai';
import { auditFromOutside } from '../../../audit/from-outside.js';
import { onMongoDb } from '../../../support/mongodb/on-mongodb.js';
import { startReceiver, verify } from '../../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../../support/service/cluster.js';
import {
  probe,
  publish,
  refresh,
  signIn,
  subscribe,
  type Tokens,
  unsubscribe,
} from '../../../support/service/journey.js';
import type { ServiceProcess } from '../../../support/service/service.js';
import { apiKeysSuite } from './api-keys-suite.js';
import { cliSuite } from './cli-suite.js';
import { clientsSuite } from './clients-suite.js';
import { erasureSuite } from './erasure-suite.js';
import { keyRotationSuite } from './key-rotation-suite.js';
import { sessionsSuite } from './sessions-suite.js';
import type { TwoInstances } from './two-instances.js';

onMongoDb('two instances on EventStoreDB and MongoDB', (mongoDb) => {
  describe('two instances on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let instances: readonly [ServiceProcess, ServiceProcess];

    before(async () => {
      cluster = await startCluster(mongoDb);
      instances = (await cluster.startInstances({}, {})) as [ServiceProcess, ServiceProcess];
    });
    after(() => cluster.close());

    it('share all state: each knows the changes made by the other', async () => {
      const receiver = await startReceiver();
      const orgId = 'shared';
      const [one, other] = instances;
      const tokens = await signIn(one, { orgId });
      expect((await probe(other, tokens.access_token)).status).to.equal(200);
      const answers = await Promise.all([one, other, one, other].map((each) => refresh(each, tokens.refresh_token)));
      expect(answers.map(({ status }) => status)).to.eql([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => (body as Tokens).refresh_token)).size).to.equal(1);

      const hookUrl = `${receiver.origin}/hook`;
      const { listenerId, signingSecret } = await subscribe(one, hookUrl, { orgId });
      expect(await subscribe(other, hookUrl, { orgId })).to.include({ listenerId, signingSecret });
      const id = await publish(other, { orgId, type: 'flow.completed', data: { n: 1 } });
      const [delivery] = await receiver.has(1);
      if (!delivery) throw new Error('nothing came');
      verify(delivery, signingSecret);
      expect(JSON.parse(delivery.body)).to.deep.include({ id, data: { n: 1 } });

      expect((await unsubscribe(other, hookUrl, orgId)).status).to.equal(200);
      await publish(one, { orgId, type: 'flow.completed', data: {} });
      await subscribe(one, `${receiver.origin}/next`, { orgId });
      await publish(one, { orgId, type: 'flow.completed', data: {} });
      await receiver.has(2);
      expect(receiver.received.map(({ path }) => path)).to.eql(['/hook', '/next']);
      await receiver.close();
    });

    const two: TwoInstances = { cluster: () => cluster, instances: () => instances };
    describe('the audit, from outside', () =>
      auditFromOutside(async () => ({ service: instances[0], place: cluster.environment })));
    sessionsSuite(two);
    apiKeysSuite(two);
    cliSuite(two);
    erasureSuite(two);
    keyRotationSuite(two);
    clientsSuite(two); // the last: the other suites sign in without a client
  });
});
