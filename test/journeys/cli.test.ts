import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runCli, runCliForJson } from '../support/cli.js';
import { publish, subscribe, unsubscribe } from '../support/journey.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type ServiceProcess, startService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

describe('flow-hooks, beside a service that runs', function () {
  this.timeout(60_000);
  let service: ServiceProcess;
  let hook: Receiver;

  before(async () => {
    hook = await startReceiver();
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await hook.close();
  });

  it('publishes flow events that are delivered, an id once', async () => {
    await subscribe(service, `${hook.origin}/published`);
    const publishOnce = () =>
      runCliForJson(
        service.dataDirectory,
        'flows',
        'publish',
        '--org',
        'acme',
        '--type',
        'flow.done',
        '--id',
        'o-1',
        '--data',
        '{"n":1}',
      );
    expect(await publishOnce()).to.eql([{ id: 'o-1' }]);
    expect(await publishOnce()).to.eql([{ id: 'o-1' }]);
    const [delivery] = await hook.has(1);
    expect(JSON.parse(delivery?.body ?? '')).to.deep.include({ id: 'o-1', type: 'flow.done', data: { n: 1 } });
    await publish(service, { type: 'flow.next', data: {} });
    await hook.has(2);
    expect(
      hook.received.map(({ body }) => (JSON.parse(body) as { id: string }).id).filter((id) => id === 'o-1'),
    ).to.have.length(1);
  });

  it('lists the hooks of an organisation, and what happened to them, in order', async () => {
    const org = { orgId: 'history-org' };
    const { listenerId } = await subscribe(service, `${hook.origin}/h1`, org);
    await subscribe(service, `${hook.origin}/h1`, { ...org, subscriptionType: 'flow.done' });
    await subscribe(service, `${hook.origin}/h2`, org);
    await unsubscribe(service, `${hook.origin}/h2`, 'history-org');
    const list = () => runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', 'history-org');
    const history = () => runCliForJson(service.dataDirectory, 'audit', 'history', '--org', 'history-org');

    await until(async () => (await history()).length === 4, 'the history to be there');
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
    const ofOneHook = await runCliForJson(
      service.dataDirectory,
      'audit',
      'history',
      '--org',
      'history-org',
      '--hook-url',
      `${hook.origin}/h2#x`,
    );
    expect(ofOneHook).to.have.length(2);
  });

  it('decides about integration tasks: a deactivated one refuses new registrations and perform-list at once', async () => {
    const subscribing = () =>
      service.fetch('/api/hooks/subscribe/flows', {
        headers: { orgid: 'acme', userid: 'ada' },
        json: { hookUrl: `${hook.origin}/refused`, subscriptionType: '*' },
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
    const [rebuilt] = await runCliForJson(service.dataDirectory, 'projections', 'rebuild', 'listeners');
    expect(rebuilt).to.include({ projection: 'listeners' });
    const id = await publish(service, { type: 'flow.after', data: {} });
    await until(() => hook.received.some(({ body }) => body.includes(id)), 'a delivery after the rebuild');
    const { listenerId } = await subscribe(service, `${hook.origin}/after-rebuild`, { orgId: 'rebuilt-org' });
    await until(async () => {
      const listed = await runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', 'rebuilt-org');
      return listed.length === 1 && (listed[0] as { listenerId: string }).listenerId === listenerId;
    }, 'a registration made after the rebuild');
  });

  it('listens: prints what it receives, and whether the signature holds', async () => {
    const cli = fileURLToPath(new URL('../../../bin/flow-hooks.js', import.meta.url));
    const listener = spawn(process.execPath, [cli, '--data-dir', service.dataDirectory, 'listen', '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    listener.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    try {
      await until(() => printed.includes('/hook'), 'flow-hooks listen to be ready');
      const hookUrl = /http:\/\/\S+/.exec(printed)?.[0] ?? '';
      await subscribe(service, hookUrl, { orgId: 'listening' });
      await publish(service, { orgId: 'listening', type: 'flow.seen', data: { n: 7 } });
      await until(() => printed.includes('signature valid'), `a valid signature in: ${printed}`);
      expect(printed).to.include('"n":7');
      const forged = await fetch(hookUrl, {
        method: 'POST',
        body: '{"orgId":"listening"}',
        headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
      });
      expect(forged.status).to.equal(200);
      await until(() => printed.includes('signature invalid'), 'the forged one to be told');
    } finally {
      listener.kill();
    }
  });
});

describe('flow-hooks', function () {
  this.timeout(30_000);
  const refusals: [what: string, args: string[], code: number, says: RegExp][] = [
    ['no such command', ['nope'], 2, /unknown command 'nope'/],
    ['a missing option', ['listeners', 'list'], 2, /--org/],
    ['no store', ['listeners', 'list', '--org', 'a'], 3, /there is no store in/],
    [
      'data that is not JSON',
      ['flows', 'publish', '--org', 'a', '--type', 'b', '--data', '{'],
      2,
      /--data is not JSON/,
    ],
    ['no such projection', ['projections', 'rebuild', 'x'], 2, /there is no projection x: there are listeners/],
    ['a port out of range', ['listen', '--port', '70000'], 2, /--port must be a whole number/],
    ['a secret that is none', ['listen', '--secret', 'x'], 2, /--secret must be a signing secret/],
  ];
  for (const [what, args, code, says] of refusals) {
    it(`answers ${what} with one clear line and exit code ${code}`, async () => {
      const result = await runCli(temporaryDirectory(), ...args);
      expect(result.code).to.equal(code);
      expect(result.stderr)
        .to.match(says)
        .and.not.to.match(/\.js:\d/);
      expect(result.stdout).to.equal('');
    });
  }

  it('describes every command', async () => {
    const { code, stdout } = await runCli(temporaryDirectory(), '--help');
    expect(code).to.equal(0);
    for (const command of ['tasks', 'flows', 'listeners', 'audit', 'projections', 'listen'])
      expect(stdout).to.include(command);
  });
});
