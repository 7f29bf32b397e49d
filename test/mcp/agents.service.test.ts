import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { serve } from '../support/serve.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, signIn, type Tokens } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

describe('an agent of a member of an organisation', function () {
  this.timeout(120_000);
  let service: ServiceProcess;

  afterEach(() => service.stop());

  async function connect(token: string): Promise<Client> {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit }));
    return client;
  }

  it('finds a flow event of it in development mode, and nothing any more once the session is revoked', async () => {
    service = await startService();
    const { access_token, refresh_token }: Tokens = await signIn(service);
    const id = await publish(service, { orgId: 'acme', type: 'order.paid', data: { total: 42 } });
    const client = await connect(access_token);
    await until(async () => {
      const { structuredContent } = await client.callTool({ name: 'find_events', arguments: { find: id } });
      return (structuredContent as { items: object[] }).items.length === 1;
    }, 'the flow event to be found');
    await service.fetch('/revoke', { form: { token: refresh_token } });
    const refused = await client.callTool({ name: 'find_events', arguments: {} }).catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error);
    await client.close();
  });

  it('signs a user in by the document of its host, with a token that no platform route accepts', async () => {
    const redirect_uris = ['http://127.0.0.1/callback'];
    const host = await serve((response, { headers, path }) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ client_id: `http://${headers.host}${path}`, redirect_uris }));
    });
    const clientId = `${host.origin}/client.json`;
    service = await startService({ environment: { CLIENT_METADATA_HOSTS: '127.0.0.1' } });
    const kept = { verifier: '', token: '', refreshToken: '' };
    let discovered: OAuthDiscoveryState | undefined;
    let signInAt = new URL(service.origin);
    const redirectUrl = 'http://127.0.0.1:5555/callback';
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      clientInformation: () => ({ client_id: clientId, issuer: service.origin }),
      tokens: () =>
        kept.token === '' ? undefined : { access_token: kept.token, token_type: 'Bearer', issuer: service.origin },
      saveTokens: ({ access_token, refresh_token = '' }) =>
        void Object.assign(kept, { token: access_token, refreshToken: refresh_token }),
      redirectToAuthorization: (url) => {
        signInAt = url;
      },
      saveCodeVerifier: (verifier) => {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier,
      saveDiscoveryState: (state) => {
        discovered = state;
      },
      discoveryState: () => discovered,
    };
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { authProvider: provider });
    const open = () => new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const first = transport();
    expect(
      await open()
        .connect(first)
        .catch((error: Error) => error),
    ).to.be.instanceOf(UnauthorizedError);
    expect(signInAt.searchParams.get('resource')).to.equal(`${service.origin}/mcp`);

    const form = { ...Object.fromEntries(signInAt.searchParams), user_id: 'ada', org_id: 'acme' };
    const { headers } = await service.fetch('/sign-in', { form });
    const { searchParams } = new URL(headers.get('location') ?? '');
    await first.finishAuth(searchParams);
    const client = open();
    await client.connect(transport());
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include('list_listeners');
    await client.close();

    const bearer = { headers: { authorization: `Bearer ${kept.token}` } };
    expect((await service.fetch('/test', bearer)).status).to.equal(401);
    const refreshed = { grant_type: 'refresh_token', refresh_token: kept.refreshToken, client_id: clientId };
    expect((await service.fetch('/access', { form: refreshed })).status).to.equal(200);
    await until(async () => {
      const { body } = await administratorOf(() => service).get(`/sessions?clientId=${encodeURIComponent(clientId)}`);
      return (body as { items: object[] }).items.length === 1;
    }, 'the session to be listed');
    await host.close();
  });

  it('finds no endpoint where it is off', async () => {
    service = await startService({ environment: { MCP: 'off' } });
    expect(await service.fetch('/mcp', { json: {} })).to.deep.nested.include({
      status: 404,
      'body.error': 'not_found',
    });
  });
});
