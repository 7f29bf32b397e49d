import Router from '@koa/router';
import { type Context, causeOf, type RequestState, type Routes } from '../../http/context.js';
import { Unauthenticated } from '../../http/errors.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { ClientAuthentication } from '../clients/client-authentication.js';
import type { AccessTokens } from './access-token.js';
import { forbidCaching } from './answer-token-error.js';
import { bearerToken } from './bearer.js';
import type { CodeExchange, Tokens } from './exchange-code.js';
import type { LimitFailures } from './limit-failures.js';
import type { SessionRefresh } from './refresh-session.js';
import { accessRequest, asksForRefresh, redirectUriOf, refreshRequest, scopeOf } from './token-request.js';
import type { IdentityTokenCheck } from './trusted-issuers.js';

export type TokenRoutesDependencies = {
  readonly exchangeCode: CodeExchange;
  readonly refreshSession: SessionRefresh;
  readonly accessTokens: AccessTokens;
  readonly isIdentityToken: IdentityTokenCheck;
  readonly clients: ClientAuthentication;
  readonly limited: LimitFailures;
};

/**
 * `POST /access`, `POST /refresh` (errors: `answerTokenError`) and `GET /test`. `/access` is the token endpoint of RFC 6749 §3.2, of which
 * OAuth clients know one only: it exchanges refresh tokens as `/refresh` does.
 */
export function tokenRoutes(dependencies: TokenRoutesDependencies): Routes {
  const { exchangeCode, refreshSession, accessTokens, isIdentityToken, clients, limited } = dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  async function exchange(ctx: Context): Promise<void> {
    const client = await clients.authenticate(ctx);
    const { code, code_verifier: codeVerifier } = accessRequest(ctx);
    const redirectUri = client && redirectUriOf(ctx);
    const tokens = await exchangeCode({ code, codeVerifier, client, redirectUri }, causedBy(ctx));
    forbidCaching(ctx);
    ctx.body = { ...answerOf(tokens, accessTokens), user_id: tokens.userId, org_id: tokens.orgId };
  }

  async function refresh(ctx: Context): Promise<void> {
    const presentedBy = await clients.check(ctx);
    const { refresh_token: refreshToken } = refreshRequest(ctx);
    const scopes = presentedBy && 'client' in presentedBy ? scopeOf(ctx) : undefined;
    const tokens = await refreshSession({ refreshToken, presentedBy, scopes }, causedBy(ctx));
    forbidCaching(ctx);
    ctx.body = answerOf(tokens, accessTokens);
  }

  router.post('/access', limited, (ctx) => (asksForRefresh(ctx) ? refresh(ctx) : exchange(ctx)));
  router.post('/refresh', limited, refresh);

  router.get('/test', async (ctx) => {
    const token = bearerToken(ctx);
    if (token === undefined)
      throw new Unauthenticated('send an access token: Authorization: Bearer <token>', 'missing');
    if (!(await isIdentityToken(token))) await accessTokens.verify(token);
    forbidCaching(ctx);
    ctx.body = { success: 1 };
  });

  return router;
}

const causedBy =
  (ctx: Context) =>
  (actor: string): Cause =>
    causeOf(ctx.state, actor);

/** RFC 6749 §5.1. */
const answerOf = ({ accessToken, refreshToken, scope }: Tokens, { ttlSeconds }: AccessTokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: ttlSeconds,
  refresh_token: refreshToken,
  ...(scope !== undefined && { scope }),
});
