import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { allowInsecureRequests, ClientSecretPost, discovery, refreshTokenGrant } from 'openid-client';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { interruptedCli } from '../support/service/interrupted-command.js';
import { probe, publish, refresh, subscribe, unsubscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

type Report = Readonly<Record<'lines' | 'imported' | 'alreadyThere' | 'refused', number>>;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function fileOf(lines: readonly unknown[]): string {
  const file = join(temporaryDirectory(), 'lines.ndjson');
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

describe('moving in from another system', function () {
  this.timeout(240_000);
  let service: ServiceProcess;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });
  const { post } = administratorOf(() => service);

  const json = async (...args: readonly string[]): Promise<Report> =>
    (await runCliForJson(service.dataDirectory, 'import', ...args)).at(-1) as Report;
  const run = (...args: readonly string[]) => runCli(service.dataDirectory, 'import', ...args);

  const listener = (path: string, more: object = {}) => ({
    orgId: 'moved',
    userId: 'ada',
    hookUrl: `${receiver.origin}/${path}`,
    subscriptionType: 'flow.*',
    ...more,
  });

  it('delivers to imported listeners what they select, signed with the secrets of the file that the import writes', async () => {
    const secretsTo = join(temporaryDirectory(), 'secrets.ndjson');
    const large = { filter: { 'data.total': { $gt: 100 } }, registeredAt: '2024-05-06T09:08:09+02:00' };
    const file = fileOf([listener('all'), listener('large', large)]);
    expect(await json('listeners', file, '--secrets-to', secretsTo)).to.include({ imported: 2, refused: 0 });
    await publish(service, { orgId: 'moved', type: 'flow.done', data: { total: 7 } });
    await publish(service, { orgId: 'moved', type: 'flow.done', data: { total: 700 } });
    await receiver.has(3);
    expect(receiver.received.map(({ path }) => path).sort()).to.eql(['/all', '/all', '/large']);

    expect(statSync(secretsTo).mode & 0o777).to.equal(0o600);
    const secrets = readFileSync(secretsTo, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    const again = await subscribe(service, `${receiver.origin}/all`, { orgId: 'moved' });
    const own = secrets.find(({ hookUrl }) => hookUrl === `${receiver.origin}/all`);
    expect(own).to.include({ listenerId: again.listenerId, signingSecret: again.signingSecret, orgId: 'moved' });

    const history = await runCliForJson(service.dataDirectory, 'audit', 'history', '--org', 'moved', '--user');
    const entry = (history as Record<string, unknown>[]).find(({ hookUrl }) => String(hookUrl).endsWith('/large'));
    expect(entry).to.include({ type: 'ListenerSubscribed', reason: 'imported, began at 2024-05-06T07:08:09.000Z' });
    expect(entry?.actor).to.match(/^operator:/);
  });

  it('brings back no listener that was removed since, and changes none', async () => {
    const file = fileOf([listener('kept', { orgId: 'again' }), listener('removed', { orgId: 'again' })]);
    expect(await json('listeners', file)).to.include({ imported: 2 });
    await unsubscribe(service, `${receiver.origin}/removed`, 'again');
    expect(await json('listeners', file)).to.include({ imported: 0, alreadyThere: 2 });
    expect(await runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', 'again')).to.have.length(1);
  });

  it('names each refused line with its reason, imports the others, and ends with 1', async () => {
    const file = fileOf([
      listener('fine', { orgId: 'refused' }),
      '{not json',
      listener('typo', { fitler: {} }),
      listener('filter', { filter: { total: { $near: 1 } } }),
      { ...listener(''), hookUrl: 'https://169.254.169.254/latest' },
      listener('user', { userId: undefined }),
    ]);
    const { code, stdout, stderr } = await run('listeners', file);
    const lines = stdout.trim().split('\n');
    expect(code).to.equal(1);
    expect(lines.at(-1)).to.equal('6 lines: 1 imported, 0 there already, 5 refused');
    expect(stderr).to.equal('flow-hooks: 5 lines were refused\n');
    const reasons = lines.slice(0, -1).sort();
    const expected = [
      /^line 2 .*not JSON/,
      /^line 3 .*fitler/,
      /^line 4 .*filter\.total/,
      /^line 5 .*link-local/,
      /^line 6 .*userId/,
    ];
    for (const [index, reason] of expected.entries()) expect(reasons[index]).to.match(reason);
    const [refusal] = (await run('listeners', '--json', file)).stdout
      .split('\n')
      .map((line) => JSON.parse(line || '{}') as object);
    expect(refusal).to.have.all.keys('line', 'error', 'message');
  });

  it('checks everything and changes nothing with --dry-run', async () => {
    const orgId = 'dry';
    const file = fileOf([listener('a', { orgId }), listener('a', { orgId }), listener('b', { orgId, filter: 7 })]);
    const { code, stdout } = await run('listeners', file, '--dry-run');
    expect([code, stdout]).to.eql([
      1,
      'line 3 refused: filter: must be an object\n3 lines: 1 would be imported, 1 there already, 1 refused\n',
    ]);
    expect(await runCliForJson(service.dataDirectory, 'audit', 'history', '--org', orgId)).to.eql([]);
  });

  it('goes on after kill -9, and imports each line once', async () => {
    const count = 10_000;
    const file = fileOf(Array.from({ length: count }, (_, index) => listener(`many/${index}`, { orgId: 'killed' })));
    await interruptedCli(service.dataDirectory, ['import', 'listeners', file], 'SIGKILL');
    const { imported, alreadyThere } = await json('listeners', file);
    expect(imported + alreadyThere).to.equal(count);
    expect(alreadyThere).to.be.greaterThan(0);
    expect(imported).to.be.greaterThan(0);
    expect(await json('listeners', file)).to.include({ imported: 0, alreadyThere: count });
  });

  it('lets an OAuth client refresh with the token of the other system, once and without signing in', async () => {
    const redirectUris = ['https://platform.example/callback'];
    const { body } = await post('/clients', { clientId: 'mover', name: 'Mover', redirectUris });
    const { clientSecret } = body as { clientSecret: string };
    const old = 'rt_1f0c5b7e9a2d4c68b3e1f7a90d2c4b6e';
    const line = { orgId: 'moved', userId: 'ada', clientId: 'mover', refreshTokenSha256: sha256(old) };
    const { stdout } = await run('sessions', fileOf([line, { ...line, clientId: 'unknown' }]));
    expect(stdout).to.match(/1 imported, 0 there already, 1 refused/);

    const server = new URL(service.origin);
    const options = { algorithm: 'oauth2' as const, execute: [allowInsecureRequests] };
    const configuration = await discovery(server, 'mover', clientSecret, ClientSecretPost(clientSecret), options);
    const tokens = await refreshTokenGrant(configuration, old);
    expect((await probe(service, tokens.access_token)).status).to.equal(200);
    const next = await refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    expect((await probe(service, next.access_token)).status).to.equal(200);
    expect((await refresh(service, 'rt_guessed')).body).to.include({ error: 'invalid_grant' });
  });
});
