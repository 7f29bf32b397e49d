import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { administratorOf } from '../support/service/administrator.js';
import { runCliForJson } from '../support/service/cli.js';
import { runCommand, runCommandForJson } from '../support/service/cli-in-process.js';
import { probe, refresh, signIn } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';

type Session = Readonly<Record<string, unknown>>;
type Page = { items: readonly Session[]; next: string | null };

describe('sessions, from outside', () => {
  let service: SharedService;
  before(async () => {
    service = await sharedService();
  });

  const { get, post } = administratorOf(() => service);
  const revoke = async (filter: object): Promise<Page> => {
    const { status, body } = await post('/sessions/revoke', filter);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Page;
  };
  const cli = (...args: readonly string[]) => runCommandForJson(service.dataDirectory, 'sessions', ...args);

  it('are revoked by their holder, and described to an administrator', async () => {
    const { access_token, refresh_token } = await signIn(service);
    const key = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
    const introspect = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await service.fetch('/introspect', { headers, form: { token: access_token } })).body;
    };
    expect(await introspect()).to.include({ active: true, sub: 'ada', org_id: service.orgId });
    const revoked = await service.fetch('/revoke', { form: { token: refresh_token } });
    expect([revoked.status, revoked.body]).to.eql([200, {}]);
    expect(await introspect()).to.eql({ active: false });
    expect((await probe(service, access_token)).status).to.equal(401);
    expect((await refresh(service, refresh_token)).body).to.include({ error: 'invalid_grant' });
  });

  it('are listed and revoked with the admin API, by organisation and user', async () => {
    const orgId = organisation();
    const tokens = await signIn(service, { orgId, userId: 'ada' });
    await signIn(service, { orgId, userId: 'bob' });
    const { items } = await revoke({ orgId, userId: 'ada' });
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ orgId, userId: 'ada', clientId: null });
    expect(JSON.stringify(items)).not.to.match(/hash/i);
    expect((await probe(service, tokens.access_token)).status).to.equal(401);
    expect((await refresh(service, tokens.refresh_token)).status).to.equal(400);
    const active = (await get(`/sessions?orgId=${orgId}&state=active`)).body as Page;
    expect([active.items.map(({ userId }) => userId), active.next]).to.eql([['bob'], null]);
  });

  it('are refused with a reason where a filter or session is not known', async () => {
    for (const [filter, status, error] of [
      [{}, 400, 'invalid_request'],
      [{ orgID: 'acme' }, 400, 'invalid_request'],
      [{ sessionId: 'x' }, 400, 'invalid_request'],
      [{ sessionId: '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b11' }, 404, 'session_not_found'],
    ] as const) {
      const answer = await post('/sessions/revoke', filter);
      expect([answer.status, (answer.body as Session).error], JSON.stringify(filter)).to.eql([status, error]);
    }
    expect((await get('/sessions?status=active')).status).to.equal(400);
  });

  it('are listed and revoked on the command line, while the service runs; the history names the operator', async () => {
    const orgId = organisation();
    const { access_token } = await signIn(service, { orgId, userId: 'ada' });
    await signIn(service, { orgId, userId: 'bob' });
    const ofAda = ['--org', orgId, '--user', 'ada'];
    const revoked = await runCliForJson(service.dataDirectory, 'sessions', 'revoke', ...ofAda);
    expect(revoked).to.have.length(1);
    expect((await probe(service, access_token)).status).to.equal(401);
    const active = (await cli('list', '--org', orgId, '--state', 'active')) as readonly Session[];
    const other = active.find(({ userId }) => userId === 'bob'); // the view may not have the revocation yet
    expect(await cli('revoke', '--session', String(other?.sessionId))).to.have.length(1);
    expect(await cli('revoke', '--org', orgId)).to.eql([]);
    const history = await runCommandForJson(service.dataDirectory, 'audit', 'history', '--org', orgId, '--user');
    expect(JSON.stringify(history))
      .to.match(/"SessionRevoked"/)
      .and.to.match(/operator:/);
    const { code, stderr } = await runCommand(service.dataDirectory, 'sessions', 'revoke');
    expect([code, stderr]).to.eql([2, 'flow-hooks: name a session, an organisation, a user or a client\n']);
  });
});
