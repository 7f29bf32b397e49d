import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Receiver, startReceiver, verify } from '../support/receivers-of-listeners/receiver.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { publish, subscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const copied = [
  'admin-key.txt',
  'deliveries.db',
  'events.db',
  'login-keys.json',
  'master-keys.txt',
  'signing-keys.json',
];

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id;

describe('a backup of the embedded store', function () {
  this.timeout(240_000);
  let receiver: Receiver;
  let services: ServiceProcess[];

  beforeEach(async () => {
    receiver = await startReceiver();
    services = [];
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')));
    await receiver.close();
  });

  async function start(dataDirectory?: string): Promise<ServiceProcess> {
    const service = await startService(dataDirectory === undefined ? {} : { dataDirectory });
    services.push(service);
    return service;
  }

  /** Publishes from several concurrent callers, one event after another, until `end` is called. */
  function publishThrough(service: ServiceProcess, orgId: string) {
    const accepted: string[] = [];
    let over = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!over)
        accepted.push(await publish(service, { orgId, type: 'flow.done', data: { text: 'x'.repeat(500) } }));
    });
    return {
      accepted,
      atLeast: (count: number) => until(() => accepted.length >= count, `${count} events to be accepted`),
      async end() {
        over = true;
        await Promise.all(callers);
      },
    };
  }

  it('taken under load contains all events accepted before; a service on it delivers the pending ones and no others', async () => {
    const service = await start();
    await subscribe(service, `${receiver.origin}/done`, { orgId: 'done' });
    const done = await Promise.all(
      Array.from({ length: 20 }, () => publish(service, { orgId: 'done', type: 'flow.done', data: {} })),
    );
    const succeeded = async (dataDirectory: string, orgId: string) => {
      const list = await runCliForJson(dataDirectory, 'deliveries', 'list', '--org', orgId, '--limit', '1000');
      return list.filter((each) => (each as { state: string }).state === 'succeeded').length;
    };
    await until(async () => (await succeeded(service.dataDirectory, 'done')) === 20, 'the outcomes to be recorded', {
      everyMs: 100,
    });

    receiver.answer(500);
    const { signingSecret } = await subscribe(service, `${receiver.origin}/undone`, { orgId: 'undone' });
    const load = publishThrough(service, 'undone');
    await load.atLeast(100);
    const before = [...load.accepted];
    const target = join(temporaryDirectory(), 'backups', 'first');
    const [backup] = await runCliForJson(service.dataDirectory, 'store', 'backup', '--to', target);
    const meanwhile = load.accepted.length - before.length;
    await load.end();
    await service.stop('SIGKILL');
    expect(meanwhile).to.be.above(0);

    expect(readdirSync(target).sort()).to.eql(copied);
    for (const file of copied) expect(statSync(join(target, file)).mode & 0o777, file).to.equal(0o600);
    expect(statSync(target).mode & 0o777).to.equal(0o700);
    const { directory, files } = backup as { directory: string; files: { file: string; bytes: number }[] };
    expect(directory).to.equal(target);
    expect(files).to.have.deep.members(copied.map((file) => ({ file, bytes: statSync(join(target, file)).size })));

    const sentBefore = receiver.received.length;
    receiver.answer(200);
    const restored = await start(target);
    const marker = await publish(restored, { orgId: 'done', type: 'flow.done', data: {} });
    const since = () => receiver.received.slice(sentBefore);
    const arrived = () => new Set(since().map(({ body }) => idOf(body)));
    await until(() => [...before, marker].every((id) => arrived().has(id)), 'all events accepted before', {
      limitMs: 60_000,
    });
    expect(done.filter((id) => arrived().has(id))).to.eql([]);
    expect(await succeeded(target, 'done')).to.be.at.least(20);
    const ofUndone = since().find(({ path }) => path === '/undone');
    if (!ofUndone) throw new Error('nothing came');
    verify(ofUndone, signingSecret);
  });

  it('is written only to an empty directory, and changes nothing else', async () => {
    const service = await start();
    const parent = temporaryDirectory();
    const [full, empty, file] = [join(parent, 'full'), join(parent, 'empty'), join(parent, 'file')];
    mkdirSync(full);
    mkdirSync(empty);
    writeFileSync(join(full, 'mine'), '');
    writeFileSync(file, '');
    const backUp = (to: string) => runCli(service.dataDirectory, 'store', 'backup', '--to', to);

    const refused = await backUp(full);
    expect(refused.stderr).to.equal(`flow-hooks: ${full} is not empty: a backup goes to its own directory\n`);
    expect(refused.code).to.equal(1);
    expect((await backUp(file)).stderr).to.equal(`flow-hooks: ${file} is not a directory\n`);
    expect((await backUp(join(file, 'below'))).stderr).to.equal(
      `flow-hooks: ${join(file, 'below')} is not a directory\n`,
    );
    expect((await backUp('/proc')).stderr).to.equal('flow-hooks: /proc is a mount point: name a directory within it\n');
    expect((await backUp('')).code).to.equal(2);
    expect(readdirSync(parent).sort()).to.eql(['empty', 'file', 'full']);
    expect(readdirSync(full)).to.eql(['mine']);

    const link = join(temporaryDirectory(), 'link');
    symlinkSync(empty, link);
    const { code, stdout } = await backUp(link);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^backed up \S+ to \S+: deliveries\.db \(\d+ bytes\), events\.db \(\d+ bytes\), /);
    expect(readdirSync(empty).sort()).to.eql(copied);
    expect(readdirSync(parent).sort()).to.eql(['empty', 'file', 'full']);
  });

  it('reports the path that cannot be written, and ends', async () => {
    const service = await start();
    const backUp = (to: string) => runCli(service.dataDirectory, 'store', 'backup', '--to', to);
    for (const to of [
      '/proc/cannot-be-created',
      '/proc/cannot-be-created/copy',
      join(temporaryDirectory(), 'x'.repeat(300)),
    ]) {
      const { code, stderr } = await backUp(to);
      expect(stderr, to).to.match(/^flow-hooks: (ENOENT|ENAMETOOLONG): [^\n]+\n$/);
      expect(code, to).to.equal(3);
    }
  });

  it('is refused if there is no store', async () => {
    const { code, stderr } = await runCli(
      temporaryDirectory(),
      'store',
      'backup',
      '--to',
      join(temporaryDirectory(), 'x'),
    );
    expect(code).to.equal(3);
    expect(stderr).to.match(/there is no store in/);
  });
});
