import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { AuditEntry } from '../../../src/admin/audit/audit-entry.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { signIn, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const urlOf = (name: string) => `http://127.0.0.1:49999/${name}`;

/** What operators ask a running service about the past, over HTTP and on the command line. */
function auditFromOutside(
  open: () => Promise<{ service: ServiceProcess; place: string | Cluster['environment'] }>,
): void {
  let service: ServiceProcess;
  let place: string | Cluster['environment'];
  let authorization: string;
  let afterFirst: string;
  const json = (...args: readonly string[]) => runCliForJson(place, 'audit', ...args);
  const results = async (...args: readonly string[]) =>
    (await json(...args)).filter((line) => !Object.hasOwn(line as object, 'progress'));
  const post = (path: string, body: object) =>
    service.fetch(`/admin/api/audit${path}`, { headers: { authorization }, json: body });

  before(async () => {
    ({ service, place } = await open());
    authorization = `Bearer ${readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim()}`;
    await signIn(service, { orgId: 'audited', userId: 'ada' });
    await subscribe(service, urlOf('kept'), { orgId: 'audited' });
    afterFirst = new Date().toISOString();
    await subscribe(service, urlOf('removed'), { orgId: 'audited' });
    await subscribe(service, urlOf('kept'), { orgId: 'audited', subscriptionType: 'flow.done' });
    await unsubscribe(service, urlOf('removed'), 'audited');
    await subscribe(service, urlOf('kept'), { orgId: 'another' });
  });

  const all = [
    ...['TokensIssued', 'ListenerSubscribed', 'ListenerSubscribed'],
    ...['ListenerSubscriptionChanged', 'ListenerUnsubscribed'],
  ];

  it('shows the same history at once, with and without the index, and over HTTP', async () => {
    const entries = (await json('history', '--org', 'audited', '--user')) as AuditEntry[];
    expect(entries.map(({ type }) => type)).to.deep.equal(all);
    expect(await results('history', '--org', 'audited', '--user', '--full-scan')).to.deep.equal(entries);
    const { status, body } = await post('/history', { orgId: 'audited', user: true });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ items: entries, next: null });
    const ofOne = await post('/history', { orgId: 'audited', hookUrl: `${urlOf('removed')}#x`, limit: 1 });
    const { items, next } = ofOne.body as { items: AuditEntry[]; next: string };
    expect(items.map(({ type }) => type)).to.deep.equal(['ListenerSubscribed']);
    const rest = await post('/history', { orgId: 'audited', hookUrl: urlOf('removed'), after: next });
    expect((rest.body as { items: AuditEntry[] }).items.map(({ type }) => type)).to.deep.equal([
      'ListenerUnsubscribed',
    ]);
    const listener = entries[1]?.listenerId ?? '';
    expect(await json('history', '--org', 'audited', '--listener', listener)).to.have.length(2);
    expect(await json('history', '--org', 'audited', '--to', afterFirst)).to.have.length(1);
  });

  it('shows the listeners at an instant, by time and by position', async () => {
    const { body } = await post('/as-of', { orgId: 'audited', at: afterFirst });
    const { items } = body as { items: object[] };
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ hookUrl: urlOf('kept'), state: 'active', subscriptionType: 'flow.*' });
    expect(await json('as-of', '--org', 'audited', '--at', afterFirst)).to.deep.equal(items);
    const entries = (await json('history', '--org', 'audited')) as AuditEntry[];
    const at = entries[1]?.position ?? '';
    expect(await json('as-of', '--org', 'audited', '--at', at)).to.have.length(2);
    expect(await results('as-of', '--org', 'audited', '--at', at, '--full-scan')).to.have.length(2);
  });

  it('refuses over HTTP invalid requests, and callers without a key', async () => {
    expect(await post('/history', {})).to.deep.include({ status: 400 });
    expect((await post('/as-of', { orgId: 'audited', at: 'yesterday' })).body).to.include({ error: 'invalid_request' });
    expect((await post('/history', { orgId: 'audited', hookUrl: 'none' })).status).to.equal(400);
    expect((await service.fetch('/admin/api/audit/history', { json: { orgId: 'audited' } })).status).to.equal(401);
  });

  it('finds no difference in the views, nor from a seal while the service runs', async () => {
    expect((await results('verify'))[0]).to.deep.include({ differences: 0 });
    const seal = join(temporaryDirectory(), 'seal');
    const [sealed] = await results('seal', '--to', seal);
    expect(sealed).to.include({ seal });
    await subscribe(service, urlOf('later'), { orgId: 'audited' });
    const [checked] = await results('check', seal);
    const { streams, events } = sealed as { streams: number; events: number };
    expect(checked).to.include({ streams, events, differences: 0, erased: 0 });
  });
}

describe('the audit, from outside, on the embedded store', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  after(() => service.stop());
  auditFromOutside(async () => {
    service = await startService();
    return { service, place: service.dataDirectory };
  });

  describe('after a manual change of the file of events', () => {
    const streamOf = async (name: string) => {
      const [entry] = (await runCliForJson(
        service.dataDirectory,
        'audit',
        'history',
        '--org',
        'audited',
        '--hook-url',
        urlOf(name),
      )) as AuditEntry[];
      return entry?.stream ?? '';
    };

    it('names the event by the seal, and the document by the views', async () => {
      const seal = join(temporaryDirectory(), 'seal');
      await runCliForJson(service.dataDirectory, 'audit', 'seal', '--to', seal);
      const stream = await streamOf('kept');
      const database = new Database(join(service.dataDirectory, 'events.db'));
      const { changes } = database
        .prepare(
          `UPDATE events SET data = replace(data, '"userId":"ada"', '"userId":"adb"')
           WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision = 1`,
        )
        .run(stream);
      database.close();
      expect(changes).to.equal(1);

      const checked = await runCli(service.dataDirectory, 'audit', 'check', seal);
      expect(checked.code).to.equal(1);
      expect(checked.stdout).to.equal(`${stream}: changed at revision 1\n`);
      expect(checked.stderr).to.match(
        new RegExp(
          `^flow-hooks: the history differs from the seal of [^\\n]+ streams that differ: 1, the first: ${stream}: changed at revision 1\\n$`,
        ),
      );
      const verified = await runCli(service.dataDirectory, 'audit', 'verify');
      expect(verified.code).to.equal(1);
      expect(verified.stdout).to.match(/^listeners: different \S+: userId is "ada", the events say "adb"$/m);
      expect(verified.stderr).to.match(/^flow-hooks: the views differ from the events: differences \d+\n$/);
    });

    it('names an event that is not JSON any more, and still shows the others', async () => {
      const seal = join(temporaryDirectory(), 'seal');
      await runCliForJson(service.dataDirectory, 'audit', 'seal', '--to', seal);
      const stream = await streamOf('removed');
      const database = new Database(join(service.dataDirectory, 'events.db'));
      database
        .prepare(
          `UPDATE events SET data = '[' || substr(data, 2)
           WHERE stream = (SELECT id FROM streams WHERE name = ?) AND revision = 0`,
        )
        .run(stream);
      database.close();
      const checked = await runCli(service.dataDirectory, 'audit', 'check', seal);
      expect(checked.stdout).to.equal(`${stream}: changed at revision 0\n`);
      const history = await runCli(service.dataDirectory, 'audit', 'history', '--org', 'audited');
      expect(history.stdout).to.match(/ListenerSubscribed at revision 0 of listener-\S+ cannot be decoded/);
      expect(history.stdout).to.include('ListenerUnsubscribed');
      expect((await runCli(service.dataDirectory, 'audit', 'verify')).stdout).to.match(
        /^listeners: unreadable: .*revision 0/m,
      );
    });
  });

  for (const [what, code, says, ...args] of [
    [
      'a time that is none',
      2,
      /^flow-hooks: --at must be a time .* or a position\n$/,
      'as-of',
      '--org',
      'a',
      '--at',
      'noon',
    ],
    [
      'a time without its offset',
      2,
      /^flow-hooks: --from must be an ISO 8601 /,
      'history',
      '--org',
      'a',
      '--from',
      '2026-01-01',
    ],
    ['a directory as a seal', 1, /^flow-hooks: \/ is not a file\n$/, 'check', '/'],
    ['a seal that is not there', 1, /^flow-hooks: \/nowhere\/seal does not exist\n$/, 'check', '/nowhere/seal'],
    [
      'a directory that is not there',
      1,
      /^flow-hooks: \/nowhere\/seal cannot be written: its directory does not exist\n$/,
      'seal',
      '--to',
      '/nowhere/seal',
    ],
    [
      'a listener that is no URL',
      2,
      /^flow-hooks: --hook-url must be an absolute URL\n$/,
      'history',
      '--org',
      'a',
      '--hook-url',
      'x',
    ],
  ] as const) {
    it(`answers ${what} with one clear line and exit code ${code}`, async () => {
      const { stderr, ...ended } = await runCli(service.dataDirectory, 'audit', ...args);
      expect(stderr).to.match(says);
      expect(ended).to.deep.equal({ code, stdout: '' });
    });
  }
});

onMongoDb('the audit, from outside, on EventStoreDB and MongoDB', (mongoDb) => {
  describe('the audit, from outside, on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let service: ServiceProcess;
    after(async () => {
      await service?.stop();
      await cluster?.close();
    });
    auditFromOutside(async () => {
      cluster = await startCluster(mongoDb);
      service = await cluster.startInstance();
      return { service, place: cluster.environment };
    });
  });
});
