import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Provider } from 'oidc-provider';
import { listen } from '../../../src/http/listen.js';
import { accounts } from './accounts.js';

/** A real OpenID provider as a process: on the port of its first argument, for the redirect URIs of the others. */
const [port, ...redirectUris] = process.argv.slice(2);

const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });

console.warn = () => undefined; // it warns of its pages and of its store in memory, which are meant for tests
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'flow-hooks',
      client_secret: 'a-secret-of-the-identity-provider',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: redirectUris,
    },
  ],
  conformIdTokenClaims: false, // as most providers do: claims of the user are in the ID token
  claims: { openid: ['sub', 'organisations', 'groups'], profile: ['name'] },
  scopes: ['openid', 'profile'],
  cookies: { keys: [randomUUID()] },
  jwks: { keys: [{ ...key, kid: randomUUID(), alg: 'RS256', use: 'sig' }] },
  discovery: { prompt_values_supported: ['none', 'login', 'consent'] }, // it refuses `select_account`
  features: { devInteractions: { enabled: true } }, // its own pages for login and consent
  findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
});

await listen(provider.callback(), { host: '127.0.0.1', port: Number(port) });
process.stdout.write('listening\n');
