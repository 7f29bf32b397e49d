import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AccessDeniedError, EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { textsOf } from '../../stores/event-store/eventstoredb/support.js';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { rejection } from '../../support/rejection.js';
import { runCli } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startRefused } from '../../support/service/service.js';

const project = fileURLToPath(new URL('../../../../', import.meta.url));

onMongoDb('a user of EventStoreDB without groups', (mongoDb) => {
  describe('a user of EventStoreDB without groups', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let service: ServiceProcess | undefined;
    let other: EventStoreDBClient;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb, undefined, { version: '24.10', users: ['flow', 'other'] });
      other = EventStoreDBClient.connectionString(cluster.eventStoreDb.urlOf('other'));
    });
    after(async () => {
      await other.dispose();
      await cluster.close();
      await receiver.close();
    });

    /** Runs a program of docs/installing.md as the administrator. */
    const runAsAdministrator = (program: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
        cwd: project,
        env: { ...ownEnvironment(), EVENTSTOREDB_ADMIN_URL: cluster.eventStoreDb.urlOf('admin') },
      });
    const streams = () => textsOf(cluster.eventStoreDb).filter(({ text }) => text.includes('"acme"'));
    const readTypes = async (stream: string) => {
      const types: (string | undefined)[] = [];
      for await (const { event } of other.readStream(stream)) types.push(event?.type);
      return types;
    };

    it('has too few rights, and then those that docs/installing.md gives it: the service starts, delivers and erases', async () => {
      const [grant = '', close = ''] = documentedBlocks('docs/installing.md', 'js');
      const { code, printed } = await startRefused(cluster.environment);
      expect(code).to.equal(1);
      expect(printed).to.match(/^flow-hooks: the event store gives our user no right to read \$all: /m);

      await runAsAdministrator(grant);
      service = await cluster.startInstance();
      await subscribe(service, `${receiver.origin}/hook`);
      await publish(service, { id: 'e-1', type: 'flow.done', data: 1 });
      await receiver.has(1);
      const [{ stream } = { stream: '' }] = streams();
      expect(await readTypes(stream), 'by default others read it').not.to.deep.equal([]);

      await runAsAdministrator(close);
      expect(await rejection(readTypes(stream))).to.be.instanceOf(AccessDeniedError);
      await publish(service, { id: 'e-2', type: 'flow.done', data: 2 });
      await receiver.has(2);
      const erased = await runCli(cluster.environment, 'orgs', 'erase', 'acme', '--yes', 'acme');
      expect(erased.code, erased.stderr).to.equal(0);
      expect(erased.stdout).to.match(/1 stream and 2 streams of flow events/);
      cluster.eventStoreDb.scavenge();
      expect(streams()).to.deep.equal([]);
    });
  });
});
