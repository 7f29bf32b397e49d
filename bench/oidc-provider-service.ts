import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { listen } from '../src/http/listen.js';

/** The peer: node-oidc-provider on its in-memory adapter, refresh tokens rotated at every use, opaque access tokens. */
const clientId = 'bench';
const accountId = 'ada';
const scope = 'offline_access';
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
  scopes: [scope],
  features: { devInteractions: { enabled: false } },
  ttl: { AccessToken: 3_600, RefreshToken: 90 * 24 * 3_600, Grant: 365 * 24 * 3_600 },
  cookies: { keys: [randomUUID()] },
  jwks: { keys: [{ ...signingKey, alg: 'ES256', use: 'sig' }] },
  findAccount: () => ({ accountId, claims: () => ({ sub: accountId }) }),
});

async function newSession(): Promise<string> {
  const client = await provider.Client.find(clientId);
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  return new provider.RefreshToken({ accountId, client, grantId, gty: 'authorization_code', scope }).save();
}

const { origin } = await listen(provider.callback(), { host: '127.0.0.1', port: 0 });
process.on('message', async (count: number) => {
  process.send?.({ tokens: await Promise.all(Array.from({ length: count }, newSession)) });
});
process.once('disconnect', () => process.exit());
process.send?.({ origin });
