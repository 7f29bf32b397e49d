import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';

type Answer = { status?: number; type?: string; body: string } | 'nothing';

/** An identity provider whose answers a test crafts, for those that no real one gives. */
export type CraftedProvider = {
  issuer: string;
  /** The requests to each path so far. */
  counts: ReadonlyMap<string, number>;
  /** Fields of the last request to the token endpoint, and its `Authorization`. */
  tokenRequest: () => URLSearchParams;
  /** Answers of the paths from now on, instead of the right ones. */
  answers: Map<'/.well-known/openid-configuration' | '/jwks' | '/token', Answer>;
  /** Changes of the claims of the next ID tokens, and how they are signed. */
  token: {
    claims?: Readonly<Record<string, unknown>>;
    by?: 'unknown key' | 'client secret' | 'no key';
  };
  /** Added to its metadata. */
  metadata: Readonly<Record<string, unknown>>;
  /** Signs with another key from now on, and publishes only that one. */
  replaceKey: () => void;
  close: () => Promise<void>;
};

export const clientSecret = 'a-secret-of-at-least-thirty-two-bytes';
export const nonce = 'n'.repeat(43);

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export async function startCraftedProvider(): Promise<CraftedProvider> {
  const unknownKey = newKey();
  let key = newKey();
  const counts = new Map<string, number>();
  let fields = new URLSearchParams();
  let issuer = '';

  async function idToken({ claims, by }: CraftedProvider['token']): Promise<string> {
    const seconds = Math.floor(Date.now() / 1_000);
    const payload = {
      iss: issuer,
      aud: 'c',
      sub: 'ada',
      org: 'acme',
      nonce,
      iat: seconds,
      exp: seconds + 60,
      ...claims,
    };
    if (by === 'no key') {
      return `${[{ alg: 'none' }, payload].map((each) => Buffer.from(JSON.stringify(each)).toString('base64url')).join('.')}.`;
    }
    if (by === 'client secret') {
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret));
    }
    const { privateKey } = by === 'unknown key' ? unknownKey : key;
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(privateKey);
  }

  async function rightAnswer(path: string, request: IncomingMessage): Promise<object> {
    if (path === '/jwks')
      return { keys: [{ ...(await exportJWK(key.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
    if (path !== '/token') {
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
        ...provider.metadata,
      };
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    fields = new URLSearchParams(Buffer.concat(chunks).toString());
    fields.set('authorization', request.headers.authorization ?? '');
    return { access_token: 'x', token_type: 'Bearer', id_token: await idToken(provider.token) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', issuer);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    const crafted = provider.answers.get(pathname as '/jwks'); // another path has no crafted answer
    if (crafted === 'nothing') return;
    const {
      status = 200,
      type = 'application/json',
      body,
    } = crafted ?? {
      body: JSON.stringify(await rightAnswer(pathname, request)),
    };
    response.writeHead(status, { 'content-type': type }).end(body);
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: CraftedProvider = {
    issuer,
    counts,
    tokenRequest: () => fields,
    answers: new Map(),
    token: {},
    metadata: {},
    replaceKey() {
      key = newKey();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
