import { expect } from 'chai';
import { administratorOf } from '../../support/service/administrator.js';
import { runCliForJson } from '../../support/service/cli.js';
import { runCommand, runCommandForJson } from '../../support/service/cli-in-process.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

type Client = Readonly<Record<string, unknown>> & {
  clientSecret?: string;
  secrets: readonly unknown[];
};

describe('operating clients', () => {
  let service: SharedService;
  before(async () => {
    service = await sharedService();
  });

  const { get, post } = administratorOf(() => service);
  const redirectUris = ['https://platform.example/callback'];
  const listed = async () => ((await get('/clients')).body as { items: readonly Client[] }).items;
  const idsListed = async () => (await listed()).map(({ clientId }) => clientId);

  describe('with the admin API', () => {
    it('shows a generated secret once, and never in lists, events or the log', async () => {
      const { status, body } = await post('/clients', { clientId: 'zapier', name: 'Zapier', redirectUris });
      expect(status).to.equal(201);
      const { clientSecret = '', ...registered } = body as Client;
      expect(clientSecret).to.match(/^fhc_[\w-]{43}$/);
      expect(registered).to.deep.include({
        clientId: 'zapier',
        name: 'Zapier',
        type: 'confidential',
        redirectUris,
        scopes: ['listeners'],
        changed: ['ClientRegistered'],
      });
      const { changed, ...summary } = registered;
      expect(await listed()).to.deep.equal([summary]);
      expect(JSON.stringify(await listed())).to.not.match(/hash/);
      expect(service.printed()).to.not.include(clientSecret);
    });

    it('generates an ID, and registers a public client without a secret', async () => {
      const { body } = await post('/clients', { name: 'A desktop app', type: 'public', redirectUris });
      const { clientId, secrets } = body as Client;
      expect(clientId).to.match(/^[0-9a-f-]{36}$/);
      expect(secrets).to.deep.equal([]);
      expect(body).to.not.have.property('clientSecret');
      expect((await post(`/clients/${clientId}/rotate-secret`)).status).to.equal(400);
      expect((await post(`/clients/${clientId}/remove`)).body).to.deep.equal({ clientId, changed: ['ClientRemoved'] });
    });

    it('changes a client, and says when nothing changed', async () => {
      const change = { scopes: ['listeners', 'flows:publish'] };
      expect((await post('/clients/zapier/change', change)).body).to.deep.include({
        ...change,
        name: 'Zapier',
        changed: ['ClientChanged'],
      });
      expect((await post('/clients/zapier/change', change)).body).to.deep.include({ changed: [] });
    });

    it('rotates a secret with an overlap that an operator ends', async () => {
      const rotated = (await post('/clients/zapier/rotate-secret')).body as Client;
      expect(rotated.clientSecret).to.match(/^fhc_/);
      expect(rotated.secrets).to.have.length(2);
      const third = await post('/clients/zapier/rotate-secret', { overlapHours: 1 });
      expect(third).to.deep.include({ status: 409 });
      expect(third.body).to.include({ error: 'secrets_overlap' });
      expect((await post('/clients/zapier/rotate-secret', { discardNewest: true })).status).to.equal(200);
      const ended = (await post('/clients/zapier/end-previous-secret')).body as Client;
      expect(ended).to.deep.include({ changed: ['ClientPreviousSecretEnded'] });
      expect(ended.secrets).to.have.length(1);
      expect((await post('/clients/zapier/end-previous-secret')).body).to.deep.include({ changed: [] });
    });

    it('refuses invalid requests, IDs in use and unknown clients', async () => {
      for (const [path, request] of [
        ['/clients', { name: 'x', redirectUris: ['http://platform.example/callback'] }],
        ['/clients', { name: 'x', redirectUris, secret: 'mine' }],
        ['/clients', {}],
        ['/clients/zapier/change', { type: 'public' }],
        ['/clients/zapier/rotate-secret', { overlapHours: -1 }],
        ['/clients/zapier/remove', { confirm: true }],
      ] as const) {
        expect((await post(path, request)).body, JSON.stringify(request)).to.include({ error: 'invalid_request' });
      }
      const repeated = await post('/clients', { clientId: 'zapier', name: 'x', redirectUris });
      expect(repeated.status).to.equal(409);
      expect(repeated.body).to.include({ error: 'client_exists' });
      for (const verb of ['change', 'rotate-secret', 'end-previous-secret', 'remove']) {
        const { status, body } = await post(`/clients/unknown/${verb}`);
        expect(status, verb).to.equal(404);
        expect(body).to.include({ error: 'client_not_found' });
      }
      expect((await service.fetch('/admin/api/clients')).status).to.equal(401);
    });

    it('removes a client once', async () => {
      expect((await post('/clients/zapier/remove')).status).to.equal(200);
      expect((await post('/clients/zapier/remove')).status).to.equal(404);
      expect(await listed()).to.deep.equal([]);
    });
  });

  describe('with the command line', () => {
    const cli = (...args: readonly string[]) => runCommand(service.dataDirectory, 'clients', ...args);
    const json = async (...args: readonly string[]) =>
      (await runCommandForJson(service.dataDirectory, 'clients', ...args)) as readonly Client[];
    const scopes = ['--scope', 'listeners', 'flows:publish'];
    const make = ['--id', 'make', '--name', 'Make', '--redirect-uri', 'https://make.example/cb'];

    it('adds, changes, rotates, lists and removes, as the admin API does', async () => {
      const [added] = (await runCliForJson(
        service.dataDirectory,
        'clients',
        'add',
        ...make,
        ...scopes,
      )) as readonly Client[];
      expect(added).to.deep.include({ clientId: 'make', scopes: ['listeners', 'flows:publish'] });
      expect(added?.clientSecret).to.match(/^fhc_/);
      expect(await idsListed()).to.deep.equal(['make']);
      const [changed] = await json('change', 'make', '--redirect-uri', 'https://a.example/cb', 'https://b.example/cb');
      expect(changed?.redirectUris).to.deep.equal(['https://a.example/cb', 'https://b.example/cb']);
      const [rotated] = await json('rotate-secret', 'make', '--overlap-hours', '2');
      expect(rotated?.secrets).to.have.length(2);
      expect(rotated?.clientSecret).to.match(/^fhc_/).and.not.to.equal(added?.clientSecret);
      expect((await json('end-previous-secret', 'make'))[0]?.secrets).to.have.length(1);
      expect(await json('list')).to.deep.equal(await listed());
      expect(await json('remove', 'make')).to.deep.equal([{ clientId: 'make', changed: ['ClientRemoved'] }]);
      expect(await json('list')).to.deep.equal([]);
    });

    it('reports in a sentence its result, with each secret', async () => {
      expect((await cli('add', ...make)).stdout).to.match(
        /^make is registered; its secret, not shown again: fhc_[\w-]{43}\n$/,
      );
      expect((await cli('list')).stdout).to.match(/^CLIENT .*\nmake +Make +confidential +listeners +of 20.*\n$/);
      expect((await cli('rotate-secret', 'make')).stdout).to.match(
        /^make has a new secret, not shown again: fhc_[\w-]{43}; the previous one is valid until it is ended\n$/,
      );
      expect((await cli('end-previous-secret', 'make')).stdout).to.equal('make has only its newest secret now\n');
      expect((await cli('change', 'make', '--name', 'Make')).stdout).to.include('nothing changed');
      expect((await cli('remove', 'make')).stdout).to.equal('make is removed\n');
      expect((await cli('list')).stdout).to.include('no client is registered');
    });

    it('shows each change in the history of the service, as the admin API does', async () => {
      const shown = await runCommandForJson(service.dataDirectory, 'audit', 'service-history');
      const { status, body } = await get('/audit/service-history?limit=1000');
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ items: shown, next: null });
      const entries = shown as readonly { type: string; actor: string; clientId: string }[];
      const made = entries.filter(({ clientId }) => clientId === 'make').map(({ type, actor }) => `${actor} ${type}`);
      expect(made[0]).to.match(/^operator:\S+ ClientRegistered$/);
      expect(entries.find(({ clientId }) => clientId === 'zapier')?.actor).to.equal('admin:admin');
      expect(entries.at(-1)?.type).to.equal('ClientRemoved');
      const table = await runCommand(service.dataDirectory, 'audit', 'service-history');
      expect(table.stdout).to.match(/ClientSecretRotated +operator:\S+ +make +secrets \[/);
      expect(table.stdout).to.not.include('hash');
      expect((await get('/audit/service-history?from=yesterday')).status).to.equal(400);
    });

    it('ends with 2 for wrong usage and with 1 for a refusal, and names the option', async () => {
      const usage = await cli('add', '--name', 'x', '--redirect-uri', 'http://a.example/cb');
      expect(usage.code).to.equal(2);
      expect(usage.stderr).to.include('--redirect-uri must be an https URL');
      expect((await cli('add', '--name', 'x')).code).to.equal(2);
      expect((await cli('change', 'make')).stderr).to.include('give what to change');
      expect((await cli('rotate-secret', 'make', '--overlap-hours', 'x')).code).to.equal(2);
      const unknown = await cli('remove', 'make');
      expect(unknown).to.deep.include({ code: 1, stderr: "flow-hooks: no client with the ID 'make' is registered\n" });
    });
  });
});
