import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { ClientDocuments } from '../../../../src/access/clients/client-documents.js';
import { ClientDocumentInvalid, ClientDocumentUnavailable } from '../../../../src/access/errors.js';
import type { Listening } from '../../../../src/http/listen.js';
import { publicClient } from '../../clients/fixtures.js';
import { serveTokens, type TokenService, tokenService } from '../token-service.js';

type Body = Readonly<Record<string, string>>;

const clientId = 'https://agent.example/client.json';
const redirectUri = 'https://agent.example/callback';
const verifier = 'a-code-verifier-of-at-least-forty-three-characters';
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe('the token routes with a client that has a document', () => {
  let service: TokenService;
  let server: Listening;
  let failure: Error | undefined;
  let isAccepted: boolean;
  beforeEach(async () => {
    failure = undefined;
    isAccepted = true;
    const documents: ClientDocuments = {
      accepts: (id) => isAccepted && id === clientId,
      async find() {
        if (failure) throw failure;
        return publicClient({ clientId, redirectUris: [redirectUri] });
      },
    };
    service = await tokenService({ documents });
    server = await serveTokens(service);
  });
  afterEach(async () => {
    await server.stop(0);
    await service.close();
  });

  const post = async (path: string, fields: Body) => {
    const response = await fetch(`${server.origin}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const access = async (fields: Body = {}, of = {}) =>
    post('/access', {
      grant_type: 'authorization_code',
      code: await service.code(challenge, { clientId, redirectUri, scope: 'listeners', ...of }),
      code_verifier: verifier,
      client_id: clientId,
      ...fields,
    });
  const refresh = (refresh_token = '', fields: Body = { client_id: clientId }) =>
    post('/refresh', { grant_type: 'refresh_token', refresh_token, ...fields });

  it('give it a session that is bound to it', async () => {
    const first = await access();
    expect([first.status, first.body.scope]).to.eql([200, 'listeners']);
    expect((await refresh(first.body.refresh_token, {})).status).to.equal(400);
    const second = await refresh(first.body.refresh_token);
    expect([second.status, second.body.scope]).to.eql([200, 'listeners']);
    expect(await service.accessTokens.verify(second.body.access_token ?? '')).to.deep.include({
      clientId,
      scopes: ['listeners'],
    });
  });

  it('refuse codes that are not for it, and redirect URIs that are not in the document', async () => {
    expect((await access({}, { clientId: 'https://other.example/client.json' })).body.error).to.equal('invalid_grant');
    expect((await access({}, { redirectUri: 'https://evil.example/' })).body.error).to.equal('invalid_grant');
    expect((await access({ client_secret: 'x' })).body.error).to.equal('invalid_client');
  });

  it('keep a session where the document cannot be fetched, and refuse a client whose document is none', async () => {
    const { body } = await access();
    failure = new ClientDocumentUnavailable(clientId, 'test');
    expect((await refresh(body.refresh_token)).status).to.equal(503);
    expect(await service.accessTokens.verify(body.access_token ?? '')).to.include({ clientId });
    failure = new ClientDocumentInvalid(clientId, 'test');
    expect((await refresh(body.refresh_token)).body.error).to.equal('invalid_client');
    failure = undefined;
    expect((await refresh(body.refresh_token)).status).to.equal(200);
  });

  it('end its tokens once operators do not accept it any more', async () => {
    const { body } = await access();
    isAccepted = false;
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await fetch(`${server.origin}/test`, { headers })).status).to.equal(401);
    expect((await refresh(body.refresh_token)).status).to.equal(400);
  });

  it('require no client where none is registered, as before', async () => {
    const answer = await post('/access', {
      grant_type: 'authorization_code',
      code: await service.code(),
      client_id: 'x',
    });
    expect([answer.status, answer.body.scope]).to.eql([200, undefined]);
  });
});
