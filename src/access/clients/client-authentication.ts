import type { Context } from '../../http/context.js';
import { InvalidClient, OAuthError } from '../oauth-errors.js';
import type { Client } from './client.js';
import { type ClientCredentials, clientCredentials } from './client-credentials.js';
import type { ClientRegistry } from './client-registry.js';
import { hasSecret } from './client-secret.js';

/** The client of a request, or why the request has none. */
export type CheckedClient = { readonly client: Client } | { readonly refusal: OAuthError };

export type ClientAuthentication = {
  /** Undefined: no client is registered, so none has to authenticate. Throws the store's errors. */
  readonly check: (ctx: Context) => Promise<CheckedClient | undefined>;
  /**
   * As `check`, for requests that need valid credentials: throws `InvalidClient`, and `InvalidTokenRequest` if the credentials
   * are malformed or sent in two ways.
   */
  readonly authenticate: (ctx: Context) => Promise<Client | undefined>;
};

/** Authenticates clients at the token routes (RFC 6749 §2.3), by the secrets that are valid at `now`. */
export function clientAuthentication(registry: ClientRegistry, now: () => Date): ClientAuthentication {
  async function check(ctx: Context): Promise<CheckedClient | undefined> {
    const clients = await registry.current();
    if (clients.size === 0) return undefined;
    try {
      const credentials = clientCredentials(ctx);
      if (!credentials) throw new InvalidClient('the request has no client credentials');
      return { client: authenticated(clients.get(credentials.clientId), credentials, now()) };
    } catch (error) {
      if (error instanceof OAuthError) return { refusal: error };
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
