import type { Context } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';
import type { ClientAuthentication } from '../clients/client-authentication.js';
import type { Identity } from '../identity/caller.js';
import { InvalidClient, InvalidGrant } from '../oauth-errors.js';
import { bearerToken } from '../tokens/bearer.js';
import type { ActiveSession } from '../tokens/session.js';

/** A caller that may learn the state of tokens: whether it may of those of a session, and of an API key. */
export type TokenCaller = {
  readonly mayKnowSession: (session: ActiveSession) => boolean;
  readonly mayKnowApiKey: (apiKeyId: string) => boolean;
};

/** Authenticates the caller of a route about tokens. Throws `Unauthenticated`, `Forbidden` or an `OAuthError`. */
export type AuthenticateCaller<Caller> = (ctx: Context) => Promise<Caller>;

/**
 * For `/introspect` (RFC 7662 §2.1): an administrator, about all tokens, a client with a secret, about its own, or an API key, about
 * itself.
 */
export const introspectionCaller =
  (identity: Pick<Identity, 'administrator'>, clients: ClientAuthentication): AuthenticateCaller<TokenCaller> =>
  async (ctx) => {
    if (bearerToken(ctx) !== undefined) {
      const { apiKey } = await identity.administrator(ctx);
      return {
        mayKnowSession: () => apiKey === undefined,
        mayKnowApiKey: (apiKeyId) => apiKey === undefined || apiKey.apiKeyId === apiKeyId,
      };
    }
    const client = await clients.authenticate(ctx);
    if (!client) throw new Unauthenticated('an admin key is required: Authorization: Bearer …', 'missing');
    if (client.type === 'public') throw new InvalidClient(`the public client ${client.clientId} has no secret`);
    return { mayKnowSession: ({ clientId }) => clientId === client.clientId, mayKnowApiKey: () => false };
  };

/** Throws an `OAuthError` if the caller may not revoke this session; undefined: the token is not one of an active session. */
export type RevocationCaller = (session: ActiveSession | undefined) => void;

/**
 * For `/revoke` (RFC 7009 §2.1): the client of the session. If it has none, or no client is registered, possession of the token is
 * enough.
 */
export const revocationCaller =
  (clients: ClientAuthentication): AuthenticateCaller<RevocationCaller> =>
  async (ctx) => {
    const checked = await clients.check(ctx);
    return (session) => {
      if (!checked || session?.clientId === null) return;
      if ('refusal' in checked) throw checked.refusal;
      if (session && session.clientId !== checked.client.clientId) {
        throw new InvalidGrant('the token belongs to another client');
      }
    };
  };
