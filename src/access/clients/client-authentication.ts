import { z } from 'zod';
import type { Client } from '../../events/client-events.js';
import type { Context } from '../../http/context.js';
import { authorizationHeaders } from '../authorization-header.js';
import { ClientDocumentInvalid, InvalidClient, InvalidTokenRequest, OAuthError } from '../errors.js';
import { parameter, parseParameters, text, tokenBody } from '../token-parameters.js';
import { hasSecret } from './client.js';
import type { CurrentClients } from './client-registry.js';

export type CheckedClient = { client: Client } | { refusal: OAuthError };

export type ClientAuthentication = {
  /** Undefined: no client is registered, so none has to authenticate. Throws the store's errors. */
  check: (ctx: Context) => Promise<CheckedClient | undefined>;
  /** Works as `check`, but throws `InvalidClient`, and `InvalidTokenRequest` if the credentials are malformed or sent in two ways. */
  authenticate: (ctx: Context) => Promise<Client | undefined>;
};

/** Authenticates clients at the token routes (RFC 6749 §2.3), by the secrets that are valid at `now`. */
export function clientAuthentication(registry: CurrentClients, now: () => Date): ClientAuthentication {
  async function check(ctx: Context): Promise<CheckedClient | undefined> {
    try {
      const clients = await registry.current(bodyCredentials.safeParse(ctx.state.body).data?.client_id);
      if (clients.size === 0) return undefined;
      const credentials = clientCredentials(ctx);
      if (!credentials) throw new InvalidClient('the request has no client credentials');
      return { client: authenticated(clients.get(credentials.clientId), credentials, now()) };
    } catch (error) {
      if (error instanceof OAuthError) return { refusal: error };
      if (error instanceof ClientDocumentInvalid) return { refusal: new InvalidClient(error.detail) };
      throw error;
    }
  }

  return {
    check,
    async authenticate(ctx) {
      const checked = await check(ctx);
      if (checked && 'refusal' in checked) throw checked.refusal;
      return checked?.client;
    },
  };
}

function authenticated(client: Client | undefined, { clientId, clientSecret }: ClientCredentials, now: Date): Client {
  if (!client) throw new InvalidClient('the client is not registered'); // its ID is not logged: it may be a misplaced secret
  if (client.type === 'public') {
    if (clientSecret !== undefined) throw new InvalidClient(`the public client ${clientId} sent a secret`);
    return client;
  }
  if (clientSecret === undefined) throw new InvalidClient(`the client ${clientId} sent no secret`);
  if (!hasSecret(client, clientSecret, now)) throw new InvalidClient(`the secret of the client ${clientId} is wrong`);
  return client;
}

type ClientCredentials = { clientId: string; clientSecret: string | undefined };

export const bodyCredentials = z.object({
  client_id: parameter(text(256).optional()),
  client_secret: parameter(text(1_024).optional()),
});

/**
 * RFC 6749 §2.3.1: `client_secret_basic`, or `client_secret_post` in a form or in JSON. Throws `InvalidTokenRequest` if
 * both are used, and `InvalidClient` if the header is malformed.
 */
function clientCredentials(ctx: Context): ClientCredentials | undefined {
  const body = parseParameters(bodyCredentials, tokenBody(ctx));
  const basic = basicCredentials(ctx);
  if (!basic) {
    if (body.client_id !== undefined) return { clientId: body.client_id, clientSecret: body.client_secret };
    if (body.client_secret !== undefined) throw new InvalidTokenRequest('client_id is missing');
    return undefined;
  }
  if (body.client_secret !== undefined) {
    throw new InvalidTokenRequest(
      'send the client credentials in the Authorization header or in the body, not in both',
    );
  }
  if (body.client_id !== undefined && body.client_id !== basic.clientId) {
    throw new InvalidTokenRequest('client_id differs from the client in the Authorization header');
  }
  return basic;
}

/** RFC 7617: the scheme is case-insensitive. */
const basicHeader = /^basic +([A-Za-z0-9+/]*={0,2}) *$/i;

function basicCredentials(ctx: Context): ClientCredentials | undefined {
  const values = authorizationHeaders(ctx);
  if (values.length > 1) throw new InvalidTokenRequest('there are several Authorization headers');
  const [value = ''] = values;
  if (!/^basic( |$)/i.test(value)) return undefined;
  const encoded = basicHeader.exec(value)?.[1];
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const clientId = formDecoded(decoded.slice(0, Math.max(0, colon)));
  const clientSecret = formDecoded(decoded.slice(colon + 1));
  if (!clientId || clientSecret === undefined) throw new InvalidClient('the Authorization header is malformed');
  return { clientId, clientSecret: clientSecret === '' ? undefined : clientSecret };
}

/** Decodes `application/x-www-form-urlencoded`; undefined if it is malformed. */
function formDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
