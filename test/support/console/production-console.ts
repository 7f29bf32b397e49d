import { randomBytes } from 'node:crypto';
import { generateSigningKeys } from '../../../src/access/keys/signing-keys.js';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';

export type ProductionConsole = { port: number; environment: Readonly<Record<string, string>> };

/** The environment of a service in production mode, whose console is reached at its own port on this machine. */
export async function productionConsole(
  changes: Readonly<Record<string, string>> = {},
): Promise<ProductionConsole & { origin: string }> {
  const port = await reusablePort();
  const origin = `http://127.0.0.1:${port}`;
  const environment = {
    MODE: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: origin,
    LOGIN_URLS: JSON.stringify({ '*': 'https://login.example.com/' }),
    LOGIN_ISSUER: 'https://login.example.com',
    LOGIN_AUDIENCE: 'flow-hooks',
    LOGIN_JWKS: 'https://login.example.com/jwks',
    SIGNING_KEYS: generateSigningKeys(),
    MASTER_KEYS: `g1:${randomBytes(32).toString('base64')}`,
    ...changes,
  };
  return { port, origin, environment };
}
