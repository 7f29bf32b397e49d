import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { signature, signingKey } from '../../src/deliveries/worker/signed-headers.js';
import { ownEnvironment } from '../support/own-environment.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { runCli, runCliForJson, startCli } from '../support/service/cli.js';
import { publish, subscribe, unsubscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const cli = fileURLToPath(new URL('../../../bin/flow-hooks.js', import.meta.url));

/** The URL that `listen` prints once it listens. */
const urlOfListen = /http:\/\/\S+\/hook/;

describe('flow-hooks, while the service runs', () => {
  const historyOrg = organisation('history-org');
  const rebuiltOrg = organisation('rebuilt-org');
  const remote = organisation('remote');
  const forwarded = organisation('forwarded');
  const listeningOrg = organisation('listening');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  it('publishes flow events that are delivered, each id once', async () => {
    await subscribe(service, `${receiver.origin}/published`);
    const publishOnce = () =>
      runCliForJson(
        service.dataDirectory,
        'flows',
        'publish',
        '--org',
        service.orgId,
        '--type',
        'flow.done',
        '--id',
        'o-1',
        '--data',
        '{"n":1}',
      );
    expect(await publishOnce()).to.eql([{ id: 'o-1' }]);
    expect(await publishOnce()).to.eql([{ id: 'o-1' }]);
    const [delivery] = await receiver.has(1);
    expect(JSON.parse(delivery?.body ?? '')).to.deep.include({ id: 'o-1', type: 'flow.done', data: { n: 1 } });
    await publish(service, { type: 'flow.next', data: {} });
    await receiver.has(2);
    expect(
      receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id).filter((id) => id === 'o-1'),
    ).to.have.length(1);
  });

  it('warns of a large flow event on standard error, like the service in its log, and publishes it', async () => {
    const args = (bytes: number) => [
      '--json',
      'flows',
      'publish',
      '--org',
      organisation(),
      '--type',
      'flow.large',
      '--id',
      `of-${bytes}`,
      '--data',
      JSON.stringify('x'.repeat(bytes)),
    ];
    const large = await runCli(service.dataDirectory, ...args(25_000));
    expect(large).to.include({ code: 0, stdout: '{"id":"of-25000"}\n' });
    expect(large.stderr).to.match(
      /^flow-hooks: flow events of this type are large: send what listeners need, .* \(flow\.large: 25\d{3} bytes\)\n$/,
    );
    expect(await runCli(service.dataDirectory, ...args(15_000))).to.include({ code: 0, stderr: '' });
  });

  it('lists the listeners of an organisation, and their history in chronological order', async () => {
    const org = { orgId: historyOrg };
    const { listenerId } = await subscribe(service, `${receiver.origin}/h1`, org);
    await subscribe(service, `${receiver.origin}/h1`, { ...org, subscriptionType: 'flow.done' });
    await subscribe(service, `${receiver.origin}/h2`, org);
    await unsubscribe(service, `${receiver.origin}/h2`, historyOrg);
    const list = () => runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', historyOrg);
    const history = () => runCliForJson(service.dataDirectory, 'audit', 'history', '--org', historyOrg);

    await until(async () => (await history()).length === 4, 'the history to be in the view');
    expect(await list()).to.have.length(1);
    expect((await list())[0]).to.include({ listenerId, subscriptionType: 'flow.done', state: 'active' });
    const entries = (await history()) as { type: string; actor: string }[];
    expect(entries.map(({ type }) => type)).to.eql([
      'ListenerSubscribed',
      'ListenerSubscriptionChanged',
      'ListenerSubscribed',
      'ListenerUnsubscribed',
    ]);
    expect(entries[0]?.actor).to.equal('user:ada');
    const ofOneListener = await runCliForJson(
      service.dataDirectory,
      'audit',
      'history',
      '--org',
      historyOrg,
      '--hook-url',
      `${receiver.origin}/h2#x`,
    );
    expect(ofOneListener).to.have.length(2);
  });

  it('shows the history of one listener, to its own organisation only', async () => {
    const org = organisation('one-listener');
    const { listenerId } = await subscribe(service, `${receiver.origin}/one`, { orgId: org });
    await subscribe(service, `${receiver.origin}/other`, { orgId: org });
    const history = (orgId: string, ...more: string[]) =>
      runCliForJson(service.dataDirectory, 'audit', 'history', '--org', orgId, '--listener', listenerId, ...more);
    await until(async () => (await history(org)).length === 1, 'the history to be in the view');
    expect((await history(org))[0]).to.include({ listenerId, type: 'ListenerSubscribed' });
    expect(await history('another')).to.eql([]);
    expect(await history(org, '--hook-url', `${receiver.origin}/other`)).to.eql([]);
  });

  it('shows the state of deliveries: counts, and a list by flow event and listener', async () => {
    const orgId = organisation('delivered');
    const { listenerId } = await subscribe(service, `${receiver.origin}/shown`, { orgId });
    const ids = [
      await publish(service, { orgId, type: 'flow.a', data: 1 }),
      await publish(service, { orgId, type: 'flow.b', data: 2 }),
    ];
    const list = (...more: string[]) =>
      runCliForJson(service.dataDirectory, 'deliveries', 'list', '--org', orgId, ...more);
    const isDone = (delivery: unknown) => (delivery as { state: string }).state === 'succeeded';
    await until(async () => (await list()).filter(isDone).length === 2, 'two deliveries to succeed');

    const [latest, earlier] = await list();
    expect(latest).to.include({
      eventId: ids[1],
      listenerId,
      attempts: 1,
      lastStatus: 200,
      lastError: null,
      dueAt: null,
    });
    expect(await list('--event', ids[1] ?? '')).to.eql([latest]);
    const { storeEventId } = earlier as { storeEventId: string };
    expect(await list('--event', storeEventId)).to.eql([earlier]);
    expect(await list('--listener', listenerId)).to.have.length(2);
    expect(await list('--listener', randomUUID())).to.eql([]);
    expect(await list('--limit', '1')).to.eql([latest]);

    const [status] = (await runCliForJson(service.dataDirectory, 'deliveries', 'status')) as { succeeded: number }[];
    expect(status).to.include.keys('waiting', 'exhausted', 'cancelled', 'setAside', 'oldestDueAt');
    expect(status?.succeeded).to.be.at.least(2);
    const table = await runCli(service.dataDirectory, 'deliveries', 'status');
    expect(table.stdout).to.match(
      /^WAITING {2}HELD {2}SUCCEEDED {2}EXHAUSTED {2}CANCELLED {2}SET ASIDE {2}OLDEST DUE {2}FANNED OUT UP TO {2}PARTITIONS\n\d/,
    );
  });

  it('answers a GET while it listens, and does not count it as a delivery', async () => {
    const listening = startCli(service.dataDirectory, 'listen', '--port', '0');
    const [hookUrl] = await listening.prints(urlOfListen);
    try {
      const answer = await fetch(hookUrl);
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.include('POST');
      await fetch(hookUrl, { method: 'POST', body: 'x\u001b[2J' });
      await listening.prints(/x\\u001b\[2J/); // without its effects
      expect(listening.printed().match(/received/g)).to.have.length(1);
    } finally {
      await listening.stop();
    }
  });

  it('changes integration tasks: a deactivated one refuses new listeners and perform-list at once', async () => {
    const subscribing = () =>
      service.fetch('/api/hooks/subscribe/flows', {
        headers: { orgid: service.orgId, userid: 'ada' },
        json: { hookUrl: `${receiver.origin}/refused`, subscriptionType: '*' },
      });
    const { code } = await runCli(service.dataDirectory, 'tasks', 'deactivate', '--reason', 'maintenance');
    expect(code).to.equal(0);
    for (const { status, body } of [await subscribing(), await service.fetch('/api/hooks/perform-list')]) {
      expect(status).to.equal(500);
      expect(body).to.include({ error: 'integration_task_inactive' });
    }
    await runCli(service.dataDirectory, 'tasks', 'activate');
    expect((await subscribing()).status).to.equal(201);
  });

  it('rebuilds a view while it is served', async () => {
    const rebuilt = (await runCliForJson(service.dataDirectory, 'views', 'rebuild', 'listeners')).at(-1);
    expect(rebuilt).to.include({ view: 'listeners' });
    const id = await publish(service, { type: 'flow.after', data: {} });
    await until(() => receiver.received.some(({ body }) => body.includes(id)), 'a delivery after the rebuild');
    const { listenerId } = await subscribe(service, `${receiver.origin}/after-rebuild`, { orgId: rebuiltOrg });
    await until(async () => {
      const listed = await runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', rebuiltOrg);
      return listed.length === 1 && (listed[0] as { listenerId: string }).listenerId === listenerId;
    }, 'a listener made after the rebuild');
  });

  describe('from another machine', () => {
    const home = { XDG_CONFIG_HOME: temporaryDirectory() };
    const key = () => readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8');
    const json = (...args: readonly string[]) => runCliForJson(home, ...args);

    it('logs in with a key that is read from standard input, and then works without its data directory', async () => {
      const env = { ...ownEnvironment(), ...home };
      const refused = spawnSync(process.execPath, [cli, 'login', service.origin], { env, input: 'wrong\n' });
      expect(refused.stderr.toString()).to.match(/^flow-hooks: \S[^\n]*\n$/);
      const done = spawnSync(process.execPath, [cli, 'login', service.origin], { env, input: key() });
      expect(done.status, done.stderr.toString()).to.equal(0);
      expect(done.stdout.toString()).to.include(`commands are for ${service.origin} now, as admin:admin (owner)`);

      const { listenerId } = await subscribe(service, `${receiver.origin}/remote`, { orgId: remote });
      const args = ['flows', 'publish', '--org', remote, '--type', 'flow.far', '--id', 'far-1', '--data', '{"n":1}'];
      expect(await json(...args)).to.eql([{ id: 'far-1' }]);
      await until(async () => {
        const [delivery] = (await json('deliveries', 'list', '--org', remote)) as { state: string }[];
        return delivery?.state === 'succeeded';
      }, 'the delivery to succeed');
      await runCli(home, 'listeners', 'pause', listenerId);
      const [listener] = await json('listeners', 'list', '--org', remote);
      expect(listener).to.include({ listenerId, state: 'paused' });
      const [entry] = await json('audit', 'history', '--org', remote, '--limit', '1');
      expect(entry).to.include({ type: 'ListenerPaused', actor: 'admin:admin' });
    });

    /** A process knows of its own rebuilds alone. */
    const withoutRebuilds = (items: readonly unknown[]) =>
      items.map((item) => ({ ...(item as object), lastRebuild: undefined })); // each is an object

    it('answers each list as beside the service', async () => {
      for (const args of [
        ['flows', 'list', '--org', remote],
        ['deliveries', 'stats', '--org', remote],
        ['flows', 'explain', 'far-1', '--org', remote],
        ['views', 'list'],
        ['keys', 'list'],
        ['audit', 'history', '--org', remote],
        ['audit', 'service-history'],
      ])
        expect(withoutRebuilds(await json(...args)), args.join(' ')).to.eql(
          withoutRebuilds(await runCliForJson(service.dataDirectory, ...args)),
        );
    });

    it('rebuilds and verifies views, and seals the history, in the service', async () => {
      const seal = join(temporaryDirectory(), 'history.seal');
      expect((await json('views', 'rebuild', 'replays')).at(-1)).to.include({ view: 'replays' });
      expect((await json('audit', 'verify')).at(-1)).to.include({ differences: 0 });
      expect((await json('audit', 'seal', '--to', seal)).at(-1)).to.include({ seal });
      expect((await json('audit', 'check', seal)).at(-1)).to.include({ differences: 0 });
    });

    it('forwards flow events to an address of this machine, signed', async () => {
      const to = `${receiver.origin}/local`;
      const args = ['--json', 'listen', '--forward-to', to, '--org', forwarded, '--type', 'order.*'];
      const { prints, stop } = startCli(home, ...args);
      const [begun] = await prints(/^.*signingSecret.*$/m);
      const { signingSecret } = JSON.parse(begun) as { signingSecret: string };
      await publish(service, { orgId: forwarded, type: 'order.paid', data: { n: 8 } });
      await prints(/"status":200/);
      const { headers = {}, body = '' } = receiver.received.find(({ path }) => path === '/local') ?? {};
      const signed = { id: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body };
      expect(headers['webhook-signature']).to.equal(signature(signingKey(signingSecret), signed));
      expect(JSON.parse(body)).to.deep.include({ type: 'order.paid', data: { n: 8 } });
      expect((await stop()).code).to.equal(0);
    });

    it('asks for the organisation to forward of where there are several, and names some', async () => {
      const { code, stderr } = await runCli(home, 'listen', '--forward-to', `${receiver.origin}/local`);
      expect(code).to.equal(2);
      expect(stderr).to.match(/--forward-to needs --org: an organisation, such as \S+, \S+/);
    });

    it('refuses what only works on the stores, and says so', async () => {
      const named = { ...home, FLOW_HOOKS_URL: service.origin };
      for (const args of [
        ['store', 'backup', '--to', 'x'],
        ['import', 'listeners', 'x'],
        ['serve'],
        ['keys', 'rotate', 'signing'],
      ])
        expect(await runCli(named, ...args), args.join(' ')).to.include({
          code: 2,
          stderr: 'flow-hooks: this works on the stores themselves: run it where they are, without FLOW_HOOKS_URL\n',
        });
    });

    it('is for the stores of its machine again after a logout', async () => {
      expect((await runCli(home, 'logout')).code).to.equal(0);
      const ofMachine = { ...home, DATA_DIR: temporaryDirectory() }; // the project's folder has one after `npm start`
      expect((await runCli(ofMachine, 'deliveries', 'status')).stderr).to.include('there is no store in');
    });
  });

  it('listens: prints received deliveries, and whether the signature is valid', async () => {
    const { printed, prints, stop } = startCli(service.dataDirectory, 'listen', '--port', '0');
    const [hookUrl] = await prints(urlOfListen);
    try {
      await subscribe(service, hookUrl, { orgId: listeningOrg });
      await publish(service, { orgId: listeningOrg, type: 'flow.seen', data: { n: 7 } });
      await until(
        () => printed().includes('signature valid') && printed().includes('"n":7'),
        'the delivery to be printed with a valid signature',
      );
      const forged = await fetch(hookUrl, {
        method: 'POST',
        body: JSON.stringify({ orgId: listeningOrg }),
        headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
      });
      expect(forged.status).to.equal(200);
      await prints(/signature invalid/);
    } finally {
      await stop();
    }
  });
});

describe('flow-hooks', () => {
  const refusals: [what: string, args: string[], code: number, says: RegExp][] = [
    ['an unknown command', ['nope'], 2, /unknown command 'nope'/],
    ['a missing option', ['listeners', 'list'], 2, /--org/],
    ['a directory without a store', ['listeners', 'list', '--org', 'a'], 3, /there is no store in/],
    [
      'data that is not JSON',
      ['flows', 'publish', '--org', 'a', '--type', 'b', '--data', '{'],
      2,
      /--data is not JSON/,
    ],
    ['the former name of views', ['projections', 'rebuild', 'listeners'], 2, /projections is called views now/],
    ['an unknown view', ['views', 'rebuild', 'x'], 2, /there is no view x: there are listeners/],
    ['a view and all', ['views', 'rebuild', 'sessions', '--all'], 2, /name one view or say --all, not/],
    [
      'an invalid hook URL',
      ['audit', 'history', '--org', 'a', '--hook-url', 'x'],
      2,
      /: --hook-url must be an absolute URL/,
    ],
    [
      'a replay without a listener',
      ['replays', 'start', '--org', 'a'],
      2,
      /: --listener or --hook-url must name the listener/,
    ],
    ['an empty organisation ID', ['listeners', 'list', '--org', ''], 2, /^flow-hooks: --org must be 1 to 256/],
    [
      'the task of an invalid organisation ID',
      ['tasks', 'show', '--org', 'a\nb'],
      2,
      /^flow-hooks: --org must be 1 to 256/,
    ],
    [
      'the history of an invalid organisation ID',
      ['audit', 'history', '--org', '\u200e'],
      2,
      /^flow-hooks: --org must be 1 to 256/,
    ],
    [
      'the deliveries of an invalid organisation ID',
      ['deliveries', 'list', '--org', '\t'],
      2,
      /^flow-hooks: --org must be 1 to 256/,
    ],
    [
      'an invalid flow ID and time',
      ['flows', 'publish', '--org', 'a', '--type', 'b', '--flow-id', '', '--occurred-at', 'now'],
      2,
      /^flow-hooks: --flow-id must be 1 to 256 .*; --occurred-at must be an ISO 8601/,
    ],
    ['a limit of 0', ['deliveries', 'list', '--org', 'a', '--limit', '0'], 2, /--limit must be a whole number/],
    ['a data directory without a name', ['--data-dir', '', 'deliveries', 'status'], 2, /--data-dir must name/],
    [
      'a position out of range',
      ['views', 'skip', 'listeners', '9223372036854775808', '--why', 'x'],
      2,
      /a position is a whole number from 0 to 9223372036854775807/,
    ],
    [
      'a revision out of range',
      ['deliveries', 'retry-set-aside', '--stream', 'flow-1', '--revision', '9223372036854775808'],
      2,
      /--revision must be a whole number from 0/,
    ],
    [
      'a time out of range',
      ['audit', 'as-of', '--org', 'a', '--at', '9223372036854775808'],
      2,
      /--at must be a time .* or a position/,
    ],
    ['no command', [], 2, /^Usage: flow-hooks /],
    ['an incomplete command', ['tasks'], 2, /^Usage: flow-hooks tasks /],
    ['a port out of range', ['listen', '--port', '70000'], 2, /--port must be a whole number/],
    ['an invalid secret', ['listen', '--secret', 'x'], 2, /--secret must be a signing secret/],
    [
      'an address of another machine',
      ['listen', '--host', '192.0.2.1'],
      2,
      /--host 192.0.2.1 is not an address of this machine/,
    ],
  ];
  for (const [what, args, code, says] of refusals) {
    it(`refuses ${what} with one line and exit code ${code}`, async () => {
      const result = await runCli(temporaryDirectory(), ...args);
      expect(result.code).to.equal(code);
      expect(result.stderr)
        .to.match(says)
        .and.not.to.match(/\.js:\d/);
      expect(result.stdout).to.equal('');
    });
  }

  for (const [what, args, code, error] of [
    ['wrong usage', ['nope'], 2, { error: 'usage', message: "unknown command 'nope'" }],
    [
      'an invalid value',
      ['listeners', 'list', '--org', ''],
      2,
      { error: 'invalid_request', message: '--org must be 1 to 256 printable characters' },
    ],
  ] as const)
    it(`says with --json in one JSON value that there is ${what}`, async () => {
      const result = await runCli(temporaryDirectory(), '--json', ...args);
      expect({ code: result.code, error: JSON.parse(result.stderr) }).to.eql({ code, error });
    });

  it('treats an empty DATA_DIR like the service', () => {
    const cwd = realpathSync(temporaryDirectory());
    const env = { ...ownEnvironment(), DATA_DIR: '' };
    const { status, stderr } = spawnSync(process.execPath, [cli, 'deliveries', 'status'], { cwd, env });
    expect(status).to.equal(3);
    expect(stderr.toString()).to.include(`there is no store in ${join(cwd, 'data')}:`);
  });

  it('describes every command', async () => {
    const { code, stdout } = await runCli(temporaryDirectory(), '--help');
    expect(code).to.equal(0);
    for (const command of ['tasks', 'flows', 'listeners', 'deliveries', 'audit', 'views', 'listen'])
      expect(stdout).to.include(command);
  });
});
