import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { listen } from '../../src/http/listen.js';

/**
 * node-oidc-provider in memory, refresh tokens rotated at every use. Access tokens are opaque, or with the argument
 * `jwt` signed with ES256 like ours; `userinfo` adds that route.
 */
const signsAccessTokens = process.argv.includes('jwt');
const clientId = 'bench';
const accountId = 'ada';
const scope = process.argv.includes('userinfo') ? 'openid offline_access' : 'offline_access';
const resource = 'https://api.example.com';
const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

const provider = new Provider('https://peer.example.com', {
  clients: [
    {
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://peer.example.com/callback'],
    },
  ],
  rotateRefreshToken: true,
  scopes: ['openid', 'offline_access'],
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: signsAccessTokens,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'listeners',
        audience: resource,
        accessTokenTTL: 3_600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  ttl: { AccessToken: 3_600, RefreshToken: 90 * 24 * 3_600, Grant: 365 * 24 * 3_600 },
  cookies: { keys: [randomUUID()] },
  jwks: { keys: [{ ...signingKey, alg: 'ES256', use: 'sig' }] },
  findAccount: () => ({ accountId, claims: () => ({ sub: accountId }) }),
});

async function newSession(): Promise<string> {
  const client = await provider.Client.find(clientId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  if (signsAccessTokens) grant.addResourceScope(resource, 'listeners');
  const grantId = await grant.save();
  const granted = signsAccessTokens ? { resource, scope: `${scope} listeners` } : { scope };
  return new provider.RefreshToken({ accountId, client, grantId, gty: 'authorization_code', ...granted }).save();
}

const { origin } = await listen(provider.callback(), { host: '127.0.0.1', port: 0 });
process.on('message', async (count: number) => {
  process.send?.({ tokens: await Promise.all(Array.from({ length: count }, newSession)) });
});
process.once('disconnect', () => process.exit());
process.send?.({ origin });
