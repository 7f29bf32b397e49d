import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../../support/service/administrator.js';
import { runCli, runCliForJson, startCli } from '../../../support/service/cli.js';
import { publish, refresh, subscribe, unsubscribe } from '../../../support/service/journey.js';
import type { ServiceProcess } from '../../../support/service/service.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { until } from '../../../support/until.js';
import type { TwoInstances } from './two-instances.js';

/** The commands of `flow-hooks`, beside both instances. */
export function cliSuite({ cluster, instances }: TwoInstances): void {
  describe('flow-hooks, beside two instances on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    let receiver: Receiver;
    let one: ServiceProcess;
    let other: ServiceProcess;
    const json = (...args: readonly string[]) => runCliForJson(cluster().environment, ...args);

    before(async () => {
      receiver = await startReceiver();
      [one, other] = instances();
    });
    after(async () => {
      await receiver.close();
    });

    it('shows the task that the instances began with, and decides about one for both', async () => {
      const org = ['--org', 'decided'];
      expect((await json('tasks', 'show'))[0]).to.include({ state: 'active' });
      await json('tasks', 'register', ...org);
      const refused = await other.fetch('/api/hooks/subscribe/flows', {
        headers: { orgid: 'decided', userid: 'ada' },
        json: { hookUrl: `${receiver.origin}/decided`, subscriptionType: '*' },
      });
      expect(refused.body).to.include({ error: 'integration_task_inactive' });
      await json('tasks', 'activate', ...org);
      await subscribe(one, `${receiver.origin}/decided`, { orgId: 'decided' });
    });

    it('publishes flow events that are delivered, and shows their outcomes', async () => {
      const orgId = 'published';
      await subscribe(other, `${receiver.origin}/published`, { orgId });
      const args = ['flows', 'publish', '--org', orgId, '--type', 'flow.done', '--id', 'o-1'];
      expect(await json(...args)).to.eql([{ id: 'o-1' }]);
      await until(() => receiver.received.some(({ body }) => body.includes('"o-1"')), 'the event at the listener');
      const list = () => json('deliveries', 'list', '--org', orgId);
      await until(
        async () => (await list()).some((each) => (each as { state: string }).state === 'succeeded'),
        'its end',
      );
      expect(await list()).to.have.length(1);
      expect((await json('deliveries', 'status'))[0]).to.include({ waiting: 0, setAside: 0 });
    });

    it('lists the listeners of an organisation, and their history', async () => {
      const orgId = 'listed';
      const { listenerId } = await subscribe(one, `${receiver.origin}/kept`, { orgId });
      await subscribe(other, `${receiver.origin}/removed`, { orgId });
      await unsubscribe(one, `${receiver.origin}/removed`, orgId);
      const history = () => json('audit', 'history', '--org', orgId);
      await until(async () => (await history()).length === 3, 'the history to be there');
      expect((await history()).map((entry) => (entry as { type: string }).type)).to.eql([
        'ListenerSubscribed',
        'ListenerSubscribed',
        'ListenerUnsubscribed',
      ]);
      const listed = await json('listeners', 'list', '--org', orgId);
      expect(listed).to.have.length(1);
      expect(listed[0]).to.include({ listenerId, state: 'active' });
    });

    it('imports listeners and sessions of another system, each once', async () => {
      const lines = join(temporaryDirectory(), 'lines.ndjson');
      const repeated = async (kind: string, line: (index: number) => object) => {
        const all = Array.from({ length: 600 }, (_, index) => JSON.stringify({ userId: 'ada', ...line(index) }));
        writeFileSync(lines, all.join('\n'));
        const [first] = (await json('import', kind, lines)) as readonly Record<string, number>[];
        // A part whose answer came too late was sent again, and found some of its lines there.
        const { imported = 0, alreadyThere = 0, refused } = first ?? {};
        expect([imported + alreadyThere, refused]).to.eql([600, 0]);
        expect(imported).to.be.greaterThan(0);
        expect((await json('import', kind, lines))[0]).to.include({ imported: 0, alreadyThere: 600 });
      };
      const orgId = 'imported';
      const hookUrl = (index: number) => `${receiver.origin}/imported/${index}`;
      await repeated('listeners', (index) => ({ orgId, hookUrl: hookUrl(index), subscriptionType: 'imported.*' }));
      await repeated('sessions', (index) => ({ orgId, refreshTokenSha256: hash('sha256', `old ${index}`, 'hex') }));
      const refreshed = await Promise.all([refresh(one, 'old 7'), refresh(other, 'old 7')]);
      expect(refreshed.map(({ status }) => status)).to.eql([200, 200]);
    });

    it('rebuilds a view that both instances go on with', async () => {
      const orgId = 'rebuilt';
      await subscribe(one, `${receiver.origin}/before`, { orgId });
      expect((await json('views', 'rebuild', 'listeners')).at(-1)).to.include({ view: 'listeners' });
      await subscribe(other, `${receiver.origin}/after`, { orgId });
      const listed = () => json('listeners', 'list', '--org', orgId);
      await until(async () => (await listed()).length === 2, 'a listener made after the rebuild');
      const id = await publish(one, { orgId, type: 'flow.after', data: {} });
      const paths = () => receiver.received.filter(({ body }) => body.includes(id)).map(({ path }) => path);
      await until(() => paths().length === 2, 'deliveries after the rebuild');
      expect(paths().sort()).to.eql(['/after', '/before']);
    });

    it('listens, and finds the secret of the listener of a delivery', async () => {
      const listening = startCli(cluster().environment, 'listen', '--port', '0');
      const [hookUrl] = await listening.prints(/http:\/\/\S+\/hook/);
      try {
        await subscribe(one, hookUrl, { orgId: 'listening' });
        await publish(other, { orgId: 'listening', type: 'flow.seen', data: { n: 7 } });
        await listening.prints(/signature valid/);
      } finally {
        await listening.stop();
      }
    });

    it('reads the feed at either instance by one cursor, and waits at one for an event of the other', async () => {
      const read = async (from: ServiceProcess, query: string) => {
        const { body } = await administratorOf(() => from).events(`orgId=read&${query}`);
        const { items, next } = body as { items: readonly { event: { id: string } }[]; next: string };
        return { ids: items.map(({ event }) => event.id), next };
      };
      const { next } = await read(one, 'after=end');
      const waiting = read(one, `after=${next}&type=flow.*&wait=30`);
      const id = await publish(other, { orgId: 'read', type: 'flow.far', data: {} });
      expect((await waiting).ids).to.eql([id]);
      const { ids, next: end } = await read(other, `after=${next}`);
      expect(ids).to.eql([id]);
      expect((await read(one, `after=${end}`)).ids).to.eql([]);
    });

    it('leaves the backup of these stores to their own tools', async () => {
      const { code, stderr } = await runCli(cluster().environment, 'store', 'backup', '--to', temporaryDirectory());
      expect(code).to.equal(2);
      expect(stderr).to.match(/^flow-hooks: .*embedded store/);
    });
  });
}
