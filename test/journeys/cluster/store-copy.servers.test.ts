import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { CopyPhase } from '../../../src/store-copy/copy-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { type ReplicaSetMember, startReplicaSetMember } from '../../support/mongodb/faults/replica-set-member.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { type CliPlace, runCli, runCliForJson, startCli } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, refresh, signIn, subscribe, type Tokens, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startRefused, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Status = Readonly<Record<'waiting' | 'succeeded' | 'exhausted' | 'cancelled' | 'setAside', number>>;

const organisations = ['done', 'undone', 'removed'];
/** One of a producer that knows nothing of our metadata; the instant at which it was taken is all there is. */
const foreign = { id: crypto.randomUUID(), type: 'flow.foreign', data: { orgId: 'undone' }, metadata: {} };
const nobodys = { id: crypto.randomUUID(), type: 'flow.odd', data: {}, metadata: { schemaVersion: 'seven' } };
/** Counts at which the embedded service stopped. */
const stopped = { waiting: 9, succeeded: 40, exhausted: 0, cancelled: 5, setAside: 1 };
const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id;

onMongoDb('a copy of the embedded store', (mongoDb) => {
  describe('a copy of the embedded store into EventStoreDB and MongoDB', function () {
    this.timeout(360_000);
    let receiver: Receiver;
    let cluster: Cluster;
    let between: ReplicaSetMember;
    const services: ServiceProcess[] = [];

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      between = await startReplicaSetMember(cluster.environment.MONGODB_URL ?? '');
    });
    after(async () => {
      await Promise.all(services.map((service) => service.stop('SIGKILL')));
      await receiver.close();
      await between.close();
      await cluster.close();
    });

    async function statusOf(place: CliPlace): Promise<Status> {
      return (await runCliForJson(place, 'deliveries', 'status'))[0] as Status;
    }

    /** Output for operators about listeners and deliveries, without positions, which differ in every store. */
    async function seenOf(place: CliPlace) {
      const of = (...args: readonly string[]) => runCliForJson(place, ...args);
      const perOrganisation = organisations.map(async (org) => ({
        listeners: await of('listeners', 'list', '--org', org),
        history: (await of('audit', 'history', '--org', org)).map((entry) => ({ ...(entry as object), position: '' })),
      }));
      return Promise.all(perOrganisation);
    }

    async function deliveriesOf(place: CliPlace): Promise<readonly { id: string }[]> {
      const lists = organisations.map((org) =>
        runCliForJson(place, 'deliveries', 'list', '--org', org, '--limit', '1000'),
      );
      type Listed = { id: string; waitsFor: string | null; waitsUntil: string | null };
      const listed = (await Promise.all(lists)).flat() as Listed[];
      const deliveries = listed.map(({ waitsFor: _, waitsUntil: __, ...delivery }) => delivery); // they depend on when it is asked
      return deliveries.sort((one, other) => one.id.localeCompare(other.id));
    }

    /** An embedded service that has deliveries in every state, and is stopped again. */
    async function embeddedStore() {
      const service = await startService();
      services.push(service);
      const { dataDirectory } = service;
      const tokens = (await refresh(service, (await signIn(service)).refresh_token)).body as Tokens;
      await subscribe(service, `${receiver.origin}/done`, { orgId: 'done' });
      const done = await Promise.all(
        Array.from({ length: 40 }, () => publish(service, { orgId: 'done', type: 'flow.done', data: { n: 1 } })),
      );
      await until(async () => (await statusOf(dataDirectory)).succeeded === 40, 'outcomes to be kept');

      receiver.answer(500); // and so few of them that no circuit breaker opens
      await subscribe(service, `${receiver.origin}/removed`, { orgId: 'removed' });
      for (let count = 0; count < 5; count += 1)
        await publish(service, { orgId: 'removed', type: 'flow.gone', data: {} });
      await until(
        () => receiver.received.some(({ path }) => path === '/removed'),
        'an attempt at the listener to be removed',
      );
      expect((await unsubscribe(service, `${receiver.origin}/removed`, 'removed')).status).to.equal(200);

      const subscription = await subscribe(service, `${receiver.origin}/undone`, { orgId: 'undone' });
      const undone = await Promise.all(
        Array.from({ length: 8 }, () => publish(service, { orgId: 'undone', type: 'flow.wait', data: { n: 2 } })),
      );
      const beside = openSqliteEventStore({ directory: dataDirectory });
      await beside.append('flow-foreign', [foreign]);
      await beside.append('flow-nobodys', [nobodys]);
      await beside.close();
      undone.push(foreign.id);
      await until(
        () => undone.every((id) => receiver.received.some(({ body }) => body.includes(id))),
        'a first attempt of each',
      );
      await until(async () => (await statusOf(dataDirectory)).setAside === 1, 'an event to be set aside');
      await service.stop();
      expect(await statusOf(dataDirectory)).to.include(stopped);
      return { dataDirectory, tokens, done, undone, subscription };
    }

    const copyArguments = (dataDirectory: string) => [
      ...['store', 'copy', '--from', `sqlite:${dataDirectory}`, '--to', cluster.environment.EVENTSTOREDB_URL ?? ''],
      ...['--keys-to', join(cluster.environment.DATA_DIR ?? '', 'carried')],
    ];
    const mongoDbAlone = () => ({ MONGODB_URL: cluster.environment.MONGODB_URL ?? '' });

    /** `kill -9` when it reports this phase, or a moment later. However soon that is, it cannot write that it has ended. */
    async function killCopyWhile(dataDirectory: string, phase: CopyPhase): Promise<void> {
      const endsCopy = ({ update }: { update?: unknown }) => update === 'queue.copies';
      between.beforeNext(endsCopy, () => new Promise(() => undefined));
      const copying = startCli({ MONGODB_URL: between.url }, '--json', ...copyArguments(dataDirectory));
      await copying.prints(new RegExp(`"progress":"${phase}"`));
      await pause(Math.random() * 20);
      expect((await copying.stop('SIGKILL')).signal, phase).to.equal('SIGKILL');
    }

    it('continues where it was killed, and the service continues exactly where the embedded one stopped', async () => {
      const { dataDirectory, tokens, done, undone, subscription } = await embeddedStore();
      const [seen, deliveries] = [await seenOf(dataDirectory), await deliveriesOf(dataDirectory)];

      const phases: readonly CopyPhase[] = ['copying events', 'comparing events', 'verifying events', 'copying queue'];
      for (const phase of phases) await killCopyWhile(dataDirectory, phase);
      const keys = join(cluster.environment.DATA_DIR ?? '', 'carried');
      const place = { ...cluster.environment, DATA_DIR: keys };
      const refused = await startRefused(place);
      expect(refused.printed).to.match(/a copy into the MongoDB database \S+ has not ended: run flow-hooks store copy/);
      expect(refused.code).to.equal(1);
      await killCopyWhile(dataDirectory, 'verifying queue');

      const { code, stdout, stderr } = await runCli(mongoDbAlone(), ...copyArguments(dataDirectory));
      expect({ code, stderr }).to.eql({ code: 0, stderr: '' });
      expect(stdout).to.match(
        /^copied and verified: events \d+, streams \d+, deliveries 54, listeners 3, events set aside 1, /,
      );
      expect(stdout).to.contain(`MASTER_KEYS=${join(keys, 'master-keys.txt')}`);
      const [again] = await runCliForJson(mongoDbAlone(), ...copyArguments(dataDirectory));
      expect(again).to.have.property('finishedAt');

      expect(await statusOf(place)).to.include(stopped);
      expect(await deliveriesOf(place)).to.eql(deliveries);

      const sentBefore = receiver.received.length;
      receiver.answer(200);
      const service = await startService({ dataDirectory: keys, environment: place });
      services.push(service);
      expect((await refresh(service, tokens.refresh_token)).status).to.equal(200);
      const { listenerId, signingSecret } = subscription;
      expect(await subscribe(service, `${receiver.origin}/undone`, { orgId: 'undone' })).to.include({
        listenerId,
        signingSecret,
      });
      undone.push(await publish(service, { orgId: 'undone', type: 'flow.new', data: {} }));
      const since = () => receiver.received.slice(sentBefore);
      await until(() => since().length >= undone.length, 'what waited, and what is new');
      await until(async () => (await statusOf(place)).waiting === 0, 'all outcomes to be kept');

      expect(
        since()
          .map(({ body }) => idOf(body))
          .sort(),
      ).to.eql([...undone].sort());
      expect(since().filter(({ body }) => done.includes(idOf(body)))).to.eql([]);
      for (const delivery of since()) verify(delivery, signingSecret);
      const bodiesOf = (id: string) =>
        new Set(receiver.received.filter(({ body }) => idOf(body) === id).map(({ body }) => body));
      for (const id of undone) expect([...bodiesOf(id)], 'the same bytes as before').to.have.length(1);
      expect(await seenOf(place)).to.eql(seen);
      expect(await statusOf(place)).to.include({ ...stopped, waiting: 0, succeeded: 50 });
    });
  });
});

describe('flow-hooks store copy', function () {
  this.timeout(120_000);
  const nowhere = { EVENTSTOREDB_URL: 'esdb://127.0.0.1:9?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:9' };
  const copy = (environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    runCli(environment, 'store', 'copy', ...args);

  it('reports errors of its arguments, and repeats no password', async () => {
    const refusals = await Promise.all([
      copy({ MONGODB_URL: nowhere.MONGODB_URL }),
      copy({ EVENTSTOREDB_URL: nowhere.EVENTSTOREDB_URL }),
      copy(nowhere, '--from', 'postgres:./data'),
      copy(nowhere, '--from', 'sqlite:'),
      copy(nowhere, '--to', 'mongodb://u:secret@h'),
      copy(nowhere, '--mongodb-url', 'esdb://u:secret@h'),
      copy(nowhere, '--keys-to', ' '),
    ]);
    expect(refusals.map(({ code }) => code)).to.eql([2, 2, 2, 2, 2, 2, 2]);
    for (const { stderr } of refusals)
      expect(stderr)
        .to.match(/^flow-hooks: [^\n]+\n$/)
        .and.not.contain('secret');
  });

  it('is refused where there is no store', async () => {
    const { code, stderr } = await copy(nowhere, '--from', 'sqlite:/nowhere/at/all');
    expect(stderr).to.match(/^flow-hooks: there is no store in \/nowhere\/at\/all/);
    expect(code).to.equal(3);
  });

  it('is refused while a service has the source open', async () => {
    const service = await startService();
    try {
      const { code, stderr } = await copy(nowhere, '--from', `sqlite:${service.dataDirectory}`);
      expect(stderr).to.match(/^flow-hooks: another service \(process \d+\) has .* open: stop it first, or copy what /);
      expect(code).to.equal(3);
    } finally {
      await service.stop();
    }
    const { code, stderr } = await copy(nowhere, '--from', `sqlite:${service.dataDirectory}`);
    expect(stderr).to.match(/^flow-hooks: MongoDB: it cannot be reached\n$/);
    expect(code).to.equal(3);
  });
});
