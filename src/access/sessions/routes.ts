import Router from '@koa/router';
import { type Context, causeOf, type RequestState, type Routes } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';
import { serve } from '../../http/route-contract.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import type { ActiveApiKey } from '../api-keys/api-key.js';
import { looksLikeApiKey } from '../api-keys/api-key-text.js';
import { bearerToken } from '../authorization-header.js';
import type { ClientAuthentication } from '../clients/client-authentication.js';
import type { ClientScopes } from '../clients/client-registry.js';
import { InvalidClient, InvalidGrant } from '../errors.js';
import type { AdministratorIdentity } from '../identity/caller.js';
import { forbidCaching, type LimitFailures } from '../token-errors.js';
import { parseParameters, tokenBody } from '../token-parameters.js';
import { type ActiveSession, type SessionLimits, sessionDecider, sessionStream } from '../tokens/session.js';
import { revokeSession } from '../tokens/session-commands.js';
import { introspectionRoute, revocationRoute, tokenRequest } from './contract.js';
import { type FindToken, inactive, introspectApiKey, introspectToken } from './introspect-token.js';

type TokenQueries = {
  findToken: FindToken;
  limited: LimitFailures;
  now: () => Date;
};

type RevocationDependencies = TokenQueries & {
  store: EventStore;
  authenticate: AuthenticateCaller<RevocationCaller>;
};

type IntrospectionDependencies = TokenQueries & {
  findApiKey: (text: string) => Promise<ActiveApiKey>;
  registry: ClientScopes;
  issuer: string;
  limits: SessionLimits;
  authenticate: AuthenticateCaller<TokenCaller>;
};

/** `POST /revoke` (RFC 7009); errors: `answerTokenError`. */
export function revocation({ store, findToken, limited, authenticate, now }: RevocationDependencies): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });

  serve(router, revocationRoute, limited, async (ctx) => {
    const requireAllowed = await authenticate(ctx);
    const found = await findToken(tokenOf(ctx));
    requireAllowed(found?.session);
    if (found) {
      const { sessionId } = found.session;
      const revocation = { reason: 'requested', now: now() } as const;
      await handle(store, sessionStream(sessionId), sessionDecider, (session) => revokeSession(revocation, session), {
        cause: causeOf(ctx.state, `session:${sessionId}`),
        now: revocation.now,
      });
    }
    forbidCaching(ctx);
    ctx.body = {}; // also for an unknown token (RFC 7009 §2.2)
  });
  return router;
}

/** `POST /introspect` (RFC 7662); errors: `answerTokenError`. */
export function introspection(dependencies: IntrospectionDependencies): Routes {
  const { findToken, findApiKey, registry, issuer, limits, limited, authenticate, now } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  serve(router, introspectionRoute, limited, async (ctx) => {
    const caller = await authenticate(ctx);
    const token = tokenOf(ctx);
    forbidCaching(ctx);
    ctx.body = looksLikeApiKey(token) ? await describeApiKey(caller, token) : await describeToken(caller, token);
  });

  async function describeToken({ mayKnowSession }: TokenCaller, token: string) {
    const found = await findToken(token);
    if (!found || !mayKnowSession(found.session)) return inactive;
    const { clientId } = found.session;
    const scopes = clientId === null ? undefined : await registry.scopesOf(clientId);
    const client = scopes && clientId !== null ? { clientId, scopes } : undefined;
    return introspectToken(found, { issuer, client, limits, now: now() });
  }

  async function describeApiKey({ mayKnowApiKey }: TokenCaller, text: string) {
    try {
      const key = await findApiKey(text);
      return mayKnowApiKey(key.apiKeyId) ? introspectApiKey(key, issuer) : inactive;
    } catch (error) {
      if (error instanceof Unauthenticated) return inactive;
      throw error;
    }
  }

  return router;
}

const tokenOf = (ctx: Context): string => parseParameters(tokenRequest, tokenBody(ctx)).token;

type TokenCaller = {
  mayKnowSession: (session: ActiveSession) => boolean;
  mayKnowApiKey: (apiKeyId: string) => boolean;
};

/** Authenticates the caller of a route about tokens. Throws `Unauthenticated`, `Forbidden` or an `OAuthError`. */
type AuthenticateCaller<Caller> = (ctx: Context) => Promise<Caller>;

/** Authenticates the caller of `/introspect` (RFC 7662 §2.1). */
export const introspectionCaller =
  (identity: AdministratorIdentity, clients: ClientAuthentication): AuthenticateCaller<TokenCaller> =>
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

/** Throws an `OAuthError`; undefined: the token is not one of an active session. */
type RevocationCaller = (session: ActiveSession | undefined) => void;

/**
 * Authenticates the caller of `/revoke` (RFC 7009 §2.1): the client of the session. If it has none, or no client is registered, possession
 * of the token is enough.
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
