import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KeyEntry } from '../../../src/admin/keys/list-keys.js';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { probe, publish, refresh, signIn, subscribe, type Tokens } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { generationOf, kidOf, published } from './rotation.js';

describe('rotating keys while the service runs, on the embedded store', function () {
  this.timeout(180_000);
  const dataDirectory = temporaryDirectory();
  let receiver: Receiver;
  let service: ServiceProcess;
  before(async () => {
    receiver = await startReceiver();
    service = await startService({ dataDirectory });
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const command = (...args: string[]) => runCli(dataDirectory, 'keys', ...args);
  const commandForJson = async (...args: string[]) =>
    (await runCliForJson(dataDirectory, 'keys', ...args)) as readonly KeyEntry[];
  let old: Tokens;
  let oldKid: string | undefined;
  let newKid: string;

  it('publishes a new signing key before it signs', async () => {
    old = await signIn(service);
    oldKid = kidOf(old);
    const [rotated] = await commandForJson('rotate', 'signing', '--after', '1h');
    newKid = rotated?.id ?? '';
    await until(async () => (await published(service)).includes(newKid), 'the new key to be published');
    expect(kidOf(await signIn(service))).to.equal(oldKid);
    const file = statSync(join(dataDirectory, 'signing-keys.json'));
    expect(file.mode & 0o777).to.equal(0o600);
  });

  it('refuses another rotation before the new key signs, and leaves the file as it is', async () => {
    const read = () => readFileSync(join(dataDirectory, 'signing-keys.json'), 'utf8');
    const before = read();
    const { code, stderr } = await command('rotate', 'signing', '--after', '1h');
    expect(code).to.equal(1);
    expect(stderr).to.include(`the signing key ${newKid} is published and signs from`);
    expect(read()).to.equal(before);
  });

  it('takes back a signing key that has not begun to sign', async () => {
    expect((await command('retire', 'signing', newKid)).code).to.equal(0);
    await until(async () => !(await published(service)).includes(newKid), 'the key not to be published');
  });

  it('signs with a new signing key, and derives new secrets from a new master key, after a time', async () => {
    const [rotated] = await commandForJson('rotate', 'signing', '--after', '10s');
    newKid = rotated?.id ?? '';
    await commandForJson('rotate', 'master', '--after', '10s');
    let tokens = old;
    const signsWithNewKeys = async () => {
      tokens = await signIn(service);
      return kidOf(tokens) === newKid && generationOf(tokens) === 'g2';
    };
    await until(signsWithNewKeys, 'tokens of the new keys', { everyMs: 500 });
    expect((await probe(service, tokens.access_token)).status).to.equal(200);
    expect((await probe(service, old.access_token)).status).to.equal(200);
    const refreshed = await refresh(service, tokens.refresh_token);
    expect(refreshed.status).to.equal(200);
    const { signingSecret } = await subscribe(service, `${receiver.origin}/hook`);
    await publish(service, { type: 'flow.completed', data: {} });
    for (const delivery of await receiver.has(1)) verify(delivery, signingSecret);
  });

  it('lists the keys, with the command and with the admin API', async () => {
    const states = (entries: readonly KeyEntry[]) => entries.map(({ kind, id, state }) => `${kind} ${id} ${state}`);
    const expected = [`signing ${oldKid} kept`, `signing ${newKid} current`, 'master g2 current', 'master g1 kept'];
    expect(states(await commandForJson('list'))).to.eql(expected);
    const { status, body } = await administratorOf(() => service).get('/keys');
    expect(status).to.equal(200);
    expect(states((body as { items: readonly KeyEntry[] }).items)).to.eql(expected);
    expect(JSON.stringify(body)).to.not.include('"d"');
  });

  it('keeps keys that are still needed, and names their use', async () => {
    const signing = await command('retire', 'signing', oldKid ?? '');
    expect(signing.code, signing.stderr).to.equal(1);
    expect(signing.stderr).to.match(/access tokens signed with \S+ may be valid until 20/);
    const master = await command('retire', 'master', 'g1');
    expect(master.code).to.equal(1);
    expect(master.stderr).to.match(/generation g1: of listeners 0, of sessions [1-9]/);
    expect(master.stdout).to.match(/^session +[0-9a-f-]{36} +acme +ada$/m);
    const current = await command('retire', 'master', 'g2');
    expect(current.stderr).to.include('secrets are derived from the master key of generation g2');
    expect((await command('retire', 'master', 'g9')).stderr).to.include('there is no master key of generation g9');
  });

  it('retires a master key when nothing in use was derived from it, and starts without it', async () => {
    // Every session refreshes or ends: those of the tests above are of one user.
    const { code: erased } = await runCli(dataDirectory, 'orgs', 'erase', 'acme', '--yes', 'acme');
    expect(erased).to.equal(0);
    const { code, stdout, stderr } = await command('retire', 'master', 'g1');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/the master key g1 is retired/);
    expect(readFileSync(join(dataDirectory, 'master-keys.txt'), 'utf8')).to.match(/^g2@\d+:\S+\n$/);
    expect((await command('retire', 'master', 'g1')).stdout).to.match(/was retired before/);
    await service.stop();
    service = await startService({ dataDirectory });
    expect(generationOf(await signIn(service))).to.equal('g2');
  });

  it('keeps its keys when a file is changed to others, and says so', async () => {
    const file = join(dataDirectory, 'master-keys.txt');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `g3:${Buffer.alloc(32, 3).toString('base64')}\n${text}`);
    await until(() => /generation g3 is new and would be used at once/.test(service.printed()), 'an error in the log');
    expect(generationOf(await signIn(service))).to.equal('g2');
    writeFileSync(file, text);
  });

  it('records who changed which key in the history', async () => {
    const entries = (await runCliForJson(dataDirectory, 'audit', 'service-history')) as readonly {
      type: string;
      actor: string;
    }[];
    const byOperators = entries
      .filter(({ actor, type }) => actor.startsWith('operator:') && type.includes('Key'))
      .map(({ type }) => type);
    expect(byOperators).to.eql([
      'SigningKeyRotated',
      'SigningKeyRetired',
      'SigningKeyRotated',
      'MasterKeyRotated',
      'MasterKeyRetired',
    ]);
    const { status, body } = await administratorOf(() => service).get('/audit/service-history?limit=2');
    expect(status).to.equal(200);
    expect((body as { items: readonly unknown[]; next: string | null }).items).to.have.length(2);
  });

  it('prints a key where a setting contains the keys, and changes nothing', async () => {
    const text = readFileSync(join(dataDirectory, 'master-keys.txt'), 'utf8');
    const { code, stdout } = await runCli(
      { DATA_DIR: dataDirectory, MASTER_KEYS: text.trim() },
      'keys',
      'rotate',
      'master',
    );
    expect(code).to.equal(0);
    expect(stdout).to.match(/^nothing is changed: add the master key g3 in front of MASTER_KEYS .*: g3@\d+:\S{44}$/m);
    expect(readFileSync(join(dataDirectory, 'master-keys.txt'), 'utf8')).to.equal(text);
  });
});
