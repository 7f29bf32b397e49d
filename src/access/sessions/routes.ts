import Router from '@koa/router';
import { z } from 'zod';
import { type Context, causeOf, type RequestState, type Routes } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import type { ActiveApiKey } from '../api-keys/api-key.js';
import { looksLikeApiKey } from '../api-keys/api-key-text.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { parameter, parseParameters, text, tokenBody } from '../token-parameters.js';
import { forbidCaching } from '../tokens/answer-token-error.js';
import type { LimitFailures } from '../tokens/limit-failures.js';
import { revokeSession } from '../tokens/revoke-session.js';
import { sessionDecider, sessionStream } from '../tokens/session.js';
import type { SessionLimits } from '../tokens/session-limits.js';
import type { FindToken } from './find-token.js';
import { inactive, introspectApiKey, introspectToken } from './introspect-token.js';
import type { AuthenticateCaller, RevocationCaller, TokenCaller } from './token-callers.js';

export type SessionRoutesDependencies = {
  readonly store: EventStore;
  readonly findToken: FindToken;
  /** Throws `Unauthenticated` if the key is not valid. */
  readonly findApiKey: (text: string) => Promise<ActiveApiKey>;
  readonly registry: ClientRegistry;
  readonly issuer: string;
  readonly limits: SessionLimits;
  readonly limited: LimitFailures;
  readonly introspectionCaller: AuthenticateCaller<TokenCaller>;
  readonly revocationCaller: AuthenticateCaller<RevocationCaller>;
  readonly now: () => Date;
};

/** `token_type_hint` and other parameters are ignored: a token shows its type. */
export const tokenRequest = z.object({ token: parameter(text(8_192)) });

/** `POST /revoke` (RFC 7009) and `POST /introspect` (RFC 7662); errors: `answerTokenError`. */
export function sessionRoutes(dependencies: SessionRoutesDependencies): Routes {
  const {
    store,
    limited,
    findToken,
    findApiKey,
    registry,
    introspectionCaller,
    revocationCaller,
    issuer,
    limits,
    now,
  } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  router.post('/revoke', limited, async (ctx) => {
    const requireAllowed = await revocationCaller(ctx);
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

  router.post('/introspect', limited, async (ctx) => {
    const caller = await introspectionCaller(ctx);
    const token = tokenOf(ctx);
    forbidCaching(ctx);
    ctx.body = looksLikeApiKey(token) ? await describeApiKey(caller, token) : await describeToken(caller, token);
  });

  async function describeToken({ mayKnowSession }: TokenCaller, token: string) {
    const found = await findToken(token);
    if (!found || !mayKnowSession(found.session)) return inactive;
    const client = (await registry.current()).get(found.session.clientId ?? '');
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
