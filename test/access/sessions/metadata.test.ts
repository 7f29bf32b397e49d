import { expect } from 'chai';
import { serviceIssuer } from '../../../src/access/service-issuer.js';
import { metadata } from '../../../src/access/sessions/metadata.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';

describe('the metadata of the endpoint for agents (RFC 9728)', () => {
  let served: Served;
  afterEach(() => served.close());
  const routesOf = (publicUrl: string | undefined, isOn = true) =>
    metadata({ publicUrl, issuerOf: serviceIssuer(publicUrl), isOn });
  const path = '/.well-known/oauth-protected-resource';

  it('names the resource and its authorization server', async () => {
    served = await serveRoutes(routesOf('https://hooks.example.com'));
    expect(await served.get(`${path}/mcp`)).to.deep.equal({
      status: 200,
      body: {
        resource: 'https://hooks.example.com/mcp',
        authorization_servers: ['https://hooks.example.com'],
        scopes_supported: ['listeners', 'flows:publish'],
        bearer_methods_supported: ['header'],
        resource_name: 'Flow Hooks',
      },
    });
  });

  it('is also where a client expects it if the issuer has a path', async () => {
    served = await serveRoutes(routesOf('https://example.com/flow/hooks'));
    for (const each of [`${path}/mcp`, `${path}/flow/hooks/mcp`])
      expect((await served.get(each)).body).to.include({ resource: 'https://example.com/flow/hooks/mcp' });
  });

  it('is unknown where agents may not connect', async () => {
    served = await serveRoutes(routesOf('https://hooks.example.com', false));
    expect((await served.get(`${path}/mcp`)).status).to.equal(404);
  });
});

describe('the metadata of the authorization server (RFC 8414)', () => {
  let served: Served;
  afterEach(() => served.close());
  const routesOf = (publicUrl: string | undefined) => metadata({ publicUrl, issuerOf: serviceIssuer(publicUrl) });
  const path = '/.well-known/oauth-authorization-server';

  it('names the issuer, and the endpoints below it', async () => {
    served = await serveRoutes(routesOf('https://hooks.example.com'));
    const { status, body } = await served.get(path);
    expect(status).to.equal(200);
    const { issuer, ...rest } = body;
    expect(issuer).to.equal('https://hooks.example.com');
    expect(rest).to.include({ authorization_response_iss_parameter_supported: true });
    expect(rest).to.not.have.property('refresh_endpoint'); // not registered for metadata
    const endpoints = Object.entries(rest).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(Object.fromEntries(endpoints)).to.eql({
      authorization_endpoint: 'https://hooks.example.com/oauth2',
      token_endpoint: 'https://hooks.example.com/access',
      jwks_uri: 'https://hooks.example.com/.well-known/jwks.json',
      revocation_endpoint: 'https://hooks.example.com/revoke',
      introspection_endpoint: 'https://hooks.example.com/introspect',
    });
  });

  it('is also where a client expects it if the issuer has a path', async () => {
    served = await serveRoutes(routesOf('https://example.com/flow/hooks'));
    for (const each of [path, `${path}/flow/hooks`]) {
      expect((await served.get(each)).body).to.include({
        issuer: 'https://example.com/flow/hooks',
        token_endpoint: 'https://example.com/flow/hooks/access',
      });
    }
    expect((await served.get(`${path}/flow`)).status).to.equal(404);
  });

  it('names the requested address in development mode, which has no public one', async () => {
    served = await serveRoutes(routesOf(undefined));
    expect((await served.get(path)).body).to.include({
      issuer: served.origin,
      authorization_response_iss_parameter_supported: true,
      jwks_uri: `${served.origin}/.well-known/jwks.json`,
    });
  });
});
