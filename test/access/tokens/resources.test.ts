import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { mcpPath } from '../../../src/access/protected-resource.js';
import { sessionStream } from '../../../src/access/tokens/session.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import type { Listening } from '../../../src/http/listen.js';
import { rejection } from '../../support/rejection.js';
import { serveTokens, type TokenService, tokenService } from './token-service.js';

type Body = Readonly<Record<string, string>>;

const mcp = 'https://hooks.example.com/mcp';
const service = 'https://hooks.example.com';

describe('tokens for a resource (RFC 8707)', () => {
  let tokens: TokenService;
  let served: Listening;
  let without: Listening;
  before(async () => {
    tokens = await tokenService();
    served = await serveTokens(tokens);
    without = await serveTokens(tokens, undefined, { agents: false });
  });
  after(async () => {
    await served.stop(0);
    await without.stop(0);
    await tokens.close();
  });

  const post = async (path: string, fields: object, { origin } = served) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    const response = await fetch(`${origin}${path}`, init);
    return { status: response.status, body: (await response.json()) as Body };
  };
  const access = async (fields: object = {}, of: { resource?: string } = {}, at = served) =>
    post('/access', { grant_type: 'authorization_code', code: await tokens.code(undefined, of), ...fields }, at);
  const refresh = (refresh_token: string | undefined, fields: object = {}) =>
    post('/refresh', { grant_type: 'refresh_token', refresh_token, ...fields });
  const audienceOf = ({ body: { access_token = '' } }: { body: Body }) => decodeJwt(access_token).aud;

  it('have it as audience, also after refreshes', async () => {
    const first = await access({ resource: mcp });
    expect(audienceOf(first)).to.equal(mcp);
    const second = await refresh(first.body.refresh_token);
    expect(audienceOf(second)).to.equal(mcp);
    expect(audienceOf(await refresh(second.body.refresh_token, { resource: mcp }))).to.equal(mcp);
  });

  it('are for the resource of the sign-in, which a token request may narrow and not widen', async () => {
    expect(audienceOf(await access({}, { resource: mcp }))).to.equal(mcp);
    expect(audienceOf(await access({ resource: mcp }, { resource: service }))).to.equal(mcp);
    const widened = await access({ resource: service }, { resource: mcp });
    expect([widened.status, widened.body.error]).to.eql([400, 'invalid_target']);
    const { body } = await access({ resource: mcp });
    const refreshed = await refresh(body.refresh_token, { resource: `${service}/` });
    expect([refreshed.status, refreshed.body.error]).to.eql([400, 'invalid_target']);
    expect((await refresh(body.refresh_token)).status).to.equal(200);
  });

  it('are accepted for it alone', async () => {
    const { access_token = '' } = (await access({ resource: mcp })).body;
    expect(await tokens.accessTokens.verify(access_token, mcpPath)).to.include({ userId: 'ada', orgId: 'acme' });
    expect(await rejection(tokens.accessTokens.verify(access_token))).to.be.instanceOf(Unauthenticated);
    const answer = await fetch(`${served.origin}/test`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(answer.status).to.equal(401);
    const general = (await access()).body.access_token ?? '';
    expect(await tokens.accessTokens.verify(general, mcpPath)).to.include({ userId: 'ada' });
  });

  it('are refused for an unknown resource, with nothing used up', async () => {
    const code = await tokens.code();
    for (const resource of ['https://other.example/mcp', `${mcp}/more`, `${mcp}#part`, 'mcp', [mcp, mcp], 1]) {
      const answer = await post('/access', { grant_type: 'authorization_code', code, resource });
      expect([answer.status, answer.body.error], String(resource)).to.eql([400, 'invalid_target']);
    }
    const upperCase = await post('/access', {
      grant_type: 'authorization_code',
      code,
      resource: 'HTTPS://Hooks.Example.com/mcp/',
    });
    expect(audienceOf(upperCase)).to.equal(mcp);
  });

  it('are for the whole service without a resource, and their session has the same events as before', async () => {
    const { body } = await access({ resource: '' });
    const { aud, iss, sid } = decodeJwt(body.access_token ?? '');
    expect(aud).to.equal(iss);
    expect(Object.keys(body)).to.eql([
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      'user_id',
      'org_id',
    ]);
    const stored: string[] = [];
    for await (const { data } of tokens.store.readStream(sessionStream(String(sid)))) stored.push(JSON.stringify(data));
    expect(stored).to.have.length(1);
    expect(stored[0]).not.to.contain('resource');
  });

  it('are for the whole service where agents may not connect, whatever the request names', async () => {
    const answer = await access({ resource: 'https://other.example/mcp' }, { resource: mcp }, without);
    expect([answer.status, audienceOf(answer)]).to.eql([200, service]);
  });
});
