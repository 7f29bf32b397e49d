import { expect } from 'chai';
import { KeySetUnavailable } from '../../../src/access/errors.js';
import type { Listening } from '../../../src/http/listen.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { faultyStore, serveTokens, type TokenService, tokenService } from './token-service.js';

type Body = Record<string, unknown>;

describe('the token routes', () => {
  const faults = faultyStore(openSqliteEventStore({ directory: temporaryDirectory() }));
  let service: TokenService;
  let server: Listening;
  let port: number;
  before(async () => {
    service = await tokenService({ store: faults.store });
    server = await serveTokens(service);
    port = Number(new URL(server.origin).port);
  });
  afterEach(() => faults.working());
  after(async () => {
    await server.stop(0);
    await service.close();
  });

  const post = async (path: string, body: string, contentType = 'application/x-www-form-urlencoded') => {
    const answer = await rawRequest(port, path, [['Content-Type', contentType]], { method: 'POST', body });
    expect(answer.headers['cache-control']).to.equal('no-store');
    expect(answer.headers.pragma).to.equal('no-cache');
    return { ...answer, body: answer.body as Body };
  };
  const form = (path: string, fields: Record<string, string>) => post(path, new URLSearchParams(fields).toString());
  const json = (path: string, value: unknown) => post(path, JSON.stringify(value), 'application/json');
  it('exchange a code in a form, with additional parameters of platforms', async () => {
    const more = { client_id: 'zapier', client_secret: 's', redirect_uri: 'https://p.example/cb', code_verifier: '' };
    const answer = await form('/access', { grant_type: 'authorization_code', code: await service.code(), ...more });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ token_type: 'Bearer', expires_in: 3_600, user_id: 'ada', org_id: 'acme' });
    expect(answer.body).to.have.all.keys(
      'access_token',
      'refresh_token',
      'token_type',
      'expires_in',
      'user_id',
      'org_id',
    );
  });

  it('take null for unset parameters, and refuse names that differ in case', async () => {
    const code = await service.code();
    const unset = { code_verifier: null, redirect_uri: null, scope: null, client_id: null };
    const misnamed = await json('/access', { grant_type: 'authorization_code', code, Code_Verifier: 'x' });
    expect(misnamed.status).to.equal(400);
    expect(misnamed.body).to.deep.equal({
      error: 'invalid_request',
      error_description: 'Code_Verifier: the name is code_verifier',
    });
    expect((await json('/access', { grant_type: 'authorization_code', code, ...unset })).status).to.equal(200);
  });

  it('exchange a code in JSON, and refresh with either content type', async () => {
    const first = await json('/access', { grant_type: 'authorization_code', code: await service.code() });
    const second = await json('/refresh', { grant_type: 'refresh_token', refresh_token: first.body.refresh_token });
    expect(second.body).to.have.all.keys('access_token', 'refresh_token', 'token_type', 'expires_in');
    const third = await form('/refresh', {
      grant_type: 'refresh_token',
      refresh_token: String(second.body.refresh_token),
    });
    expect(third.status).to.equal(200);
  });

  it('exchange a refresh token at /access, the one token endpoint that OAuth clients know, as at /refresh', async () => {
    const { refreshToken } = await service.exchange(await service.code());
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const answers = [await form('/access', grant), await json('/access', grant), await form('/refresh', grant)];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    for (const { body } of answers) {
      expect(body).to.have.all.keys('access_token', 'refresh_token', 'token_type', 'expires_in');
      expect(body.refresh_token, 'one successor, at both routes').to.equal(answers[0]?.body.refresh_token);
    }
    service.wait(121_000);
    const reused = await form('/access', grant);
    expect(reused.body).to.include({ error: 'invalid_grant' });
    const current = { grant_type: 'refresh_token', refresh_token: String(answers[0]?.body.refresh_token) };
    expect((await form('/refresh', current)).body, 'the reuse revokes the session').to.include({
      error: 'invalid_grant',
    });
  });

  it('name the grant types of a route to a request with another one', async () => {
    const grant = { grant_type: 'password', code: 'x', refresh_token: 'x' };
    const named = async (path: string) => (await form(path, grant)).body.error_description;
    expect(await named('/access')).to.equal(
      'this route supports the grant type authorization_code or refresh_token only',
    );
    expect(await named('/refresh')).to.equal('this route supports the grant type refresh_token only');
  });

  const refusals = {
    'without a grant type': ['code=x&refresh_token=x', 'invalid_request'],
    'with an empty grant type': ['grant_type=&code=x', 'invalid_request'],
    'with another grant type': ['grant_type=password&code=x&refresh_token=x', 'unsupported_grant_type'],
    'with two grant types': ['grant_type=a&grant_type=b', 'invalid_request'],
  } as const;
  for (const [path, grantType] of [
    ['/access', 'authorization_code'],
    ['/access', 'refresh_token'],
    ['/refresh', 'refresh_token'],
  ] as const) {
    const name = grantType === 'refresh_token' ? 'refresh_token' : 'code';
    const grant = `grant_type=${grantType}`;
    const ofThisRoute = {
      ...refusals,
      'without the code or token': [grant, 'invalid_request'],
      'with an empty code or token': [`${grant}&${name}=`, 'invalid_request'],
      'with two codes or tokens': [`${grant}&${name}=x&${name}=y`, 'invalid_request'],
      'with an object as the code or token': [`${grant}&${name}[a]=x`, 'invalid_request'],
      'with a code or token that is too long': [`${grant}&${name}=${'x'.repeat(8_193)}`, 'invalid_request'],
      'with an invalid code or token': [`${grant}&${name}=x`, 'invalid_grant'],
      'with an empty body': ['', 'invalid_request'],
    } as const;
    for (const [what, [body, error]] of Object.entries(ofThisRoute)) {
      it(`refuse POST ${path} of a ${grantType} ${what} with ${error}`, async () => {
        const answer = await post(path, body);
        expect(answer.status).to.equal(400);
        expect(answer.body).to.have.all.keys('error', 'error_description');
        expect(answer.body.error).to.equal(error);
        expect(answer.body.error_description).to.match(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/); // RFC 6749 §5.2
      });
    }

    it(`refuse a body of POST ${path} of a ${grantType} that is not JSON, not an object or of an unknown type`, async () => {
      const valid = JSON.stringify({ grant_type: grantType, [name]: 'x' });
      for (const body of ['{"grant_type":', '[]', '"text"', 'null', `{"grant_type":"${grantType}","${name}":1}`]) {
        expect((await post(path, body, 'application/json')).body, body).to.include({ error: 'invalid_request' });
      }
      expect((await post(path, valid, 'text/plain')).body).to.include({ error: 'invalid_request' });
      expect((await post(path, 'x'.repeat(70_000))).body).to.include({ error: 'invalid_request' });
    });
  }

  it('answer failures of the store with 503 and whole seconds, and succeed at the retry', async () => {
    const request = { grant_type: 'authorization_code', code: await service.code() };
    faults.failing('after', new StoreUnavailable('secret detail', { retryAfterMs: 1_200 }));
    const failed = await form('/access', request);
    expect(failed).to.deep.include({ status: 503 });
    expect(failed.headers['retry-after']).to.equal('2');
    expect(failed.body.error).to.equal('temporarily_unavailable');
    expect(JSON.stringify(failed.body)).to.not.include('secret');
    faults.working();
    expect((await form('/access', request)).status).to.equal(200);
  });

  it('answer unexpected errors with 503 too', async () => {
    const { refreshToken } = await service.exchange(await service.code());
    faults.failing('before', new TypeError('a bug'));
    const failed = await form('/refresh', { grant_type: 'refresh_token', refresh_token: refreshToken });
    expect(failed.status).to.equal(503);
    expect(failed.headers['retry-after']).to.match(/^\d+$/);
    faults.working();
    expect((await form('/refresh', { grant_type: 'refresh_token', refresh_token: refreshToken })).status).to.equal(200);
  });

  describe('GET /test', () => {
    const test = (...authorizations: string[]) =>
      rawRequest(
        port,
        '/test',
        authorizations.map((value) => ['Authorization', value] as const),
      );

    it('answers {"success": 1} to an access token, with the scheme in any case', async () => {
      const { accessToken } = await service.exchange(await service.code());
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        const answer = await test(`${scheme} ${accessToken}`);
        expect(answer).to.deep.include({ status: 200, body: { success: 1 } });
        expect(answer.headers['cache-control']).to.equal('no-store');
      }
    });

    it('reads no token from the query, where it would be in logs and histories (RFC 9700 §4.3.2)', async () => {
      const { accessToken } = await service.exchange(await service.code());
      expect((await rawRequest(port, `/test?access_token=${accessToken}`, [])).status).to.equal(401);
    });

    it('answers 401 without an error code if no token is sent', async () => {
      for (const answer of [await test(), await test('Basic dXNlcjpwYXNz')]) {
        expect(answer.status).to.equal(401);
        expect(answer.headers['www-authenticate'])
          .to.match(/^Bearer/)
          .and.not.include('error');
      }
    });

    it('answers 401 invalid_token to a token that is malformed, sent twice, expired, revoked or foreign', async () => {
      const code = await service.code();
      const { accessToken, refreshToken } = await service.exchange(code);
      const foreign = await tokenService();
      const foreignToken = (await foreign.exchange(await foreign.code())).accessToken;
      await foreign.close();
      const refused = async (...authorizations: string[]) => {
        const answer = await test(...authorizations);
        expect(answer.status, authorizations.join()).to.equal(401);
        expect(answer.headers['www-authenticate']).to.include('error="invalid_token"');
      };
      await refused('Bearer');
      await refused('Bearer a b');
      await refused('Bearer ~nonsense~');
      await refused(`Bearer ${accessToken}`, `Bearer ${accessToken}`);
      await refused(`Bearer ${foreignToken}`);
      await refused(`Bearer ${refreshToken}`);
      await refused(`Bearer ${code}`);
      await refused(`Bearer ${await service.keys.sign({ sub: 'ada' }, 'at+jwt')}`);
      service.wait(3_601_000);
      await refused(`Bearer ${accessToken}`);
      const next = await service.exchange(await service.code());
      await service.refresh(next.refreshToken);
      service.wait(121_000);
      await service.refresh(next.refreshToken).catch(() => undefined);
      await refused(`Bearer ${next.accessToken}`);
    });

    it('accepts an identity token, and answers 503 or 500, never 401, if it cannot be verified now', async () => {
      const trusting = await serveTokens(service, async (token) => {
        if (token === 'identity') return true;
        throw new KeySetUnavailable('https://id.example/jwks', new Error('down'));
      });
      const ask = (token: string) =>
        rawRequest(Number(new URL(trusting.origin).port), '/test', [['Authorization', `Bearer ${token}`]]);
      expect((await ask('identity')).status).to.equal(200);
      expect((await ask('other')).status).to.be.at.least(500);
      await trusting.stop(0);
    });
  });
});
