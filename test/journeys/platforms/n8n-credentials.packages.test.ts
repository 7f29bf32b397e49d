import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { credentialTestOf } from '../../support/n8n/credential-test.js';
import { administratorOf } from '../../support/service/administrator.js';
import { signIn } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

describe('the credentials of the n8n nodes', () => {
  let service: SharedService;
  before(async () => {
    service = await sharedService();
  });

  const { post } = administratorOf(() => service);
  const createKey = async (orgId: string | null, ...scopes: readonly string[]) => {
    const { status, body } = await post('/api-keys', { name: 'n8n', orgId, scopes });
    expect(status, JSON.stringify(body)).to.equal(201);
    return (body as { key: string }).key;
  };
  const testKey = (apiKey: string, more: object = {}) =>
    credentialTestOf('FlowHooksApi')({ baseUrl: `${service.origin}/`, apiKey, orgId: service.orgId, ...more });

  it('are accepted with a key of the organisation that has the required scopes', async () => {
    const key = await createKey(service.orgId, 'listeners:write', 'flows:publish');
    expect(await testKey(key)).to.equal('OK');
    expect(await testKey(key, { scopes: ['listeners:write', 'flows:publish'] })).to.equal('OK');
    expect(await testKey(await createKey(null, 'flows:read'), { scopes: ['flows:read'] })).to.equal('OK');
    expect(await testKey(await createKey(service.orgId, 'listeners:read'), { scopes: [] })).to.equal('OK');
    const unusual = await createKey('Żółw', 'listeners:write');
    expect(await testKey(unusual, { orgId: 'Żółw' })).to.equal('OK');
    const adminKey = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
    expect(await testKey(adminKey, { scopes: ['flows:publish', 'flows:read', 'deliveries:read'] })).to.equal('OK');
  });

  it('are refused with a key of another organisation, or without one of the scopes', async () => {
    const key = await createKey(service.orgId, 'listeners:write');
    expect(await testKey(key, { orgId: 'other' })).to.equal('This key is for another organisation');
    const lacking = 'This key does not permit all that "Used To" names';
    expect(await testKey(key, { scopes: ['listeners:write', 'flows:publish'] })).to.equal(lacking);
    expect(await testKey(await createKey(service.orgId, 'flows:publish'))).to.equal(lacking);
  });

  it('are refused with a key that is not accepted, and at another address', async () => {
    expect(await testKey('fhk_wrong')).to.equal('The service does not accept this key');
    const key = await createKey(service.orgId, 'listeners:write');
    const elsewhere = 'There is no Flow Hooks service at this address, or it cannot answer now';
    expect(await testKey(key, { baseUrl: `${service.origin}/healthz` })).to.equal(elsewhere);
  });

  it('of OAuth2 are tested by the answer', async () => {
    const { access_token } = await signIn(service);
    const test = credentialTestOf('FlowHooksOAuth2Api');
    expect(await test({ baseUrl: service.origin, oauthTokenData: { access_token } })).to.equal('OK');
    expect(await test({ baseUrl: service.origin, oauthTokenData: { access_token: 'x' } })).to.equal('Unauthorized');
  });
});
