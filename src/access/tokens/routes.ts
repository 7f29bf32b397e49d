import Router from '@koa/router';
import { z } from 'zod';
import { type Context, causeOf, type RequestState, type Routes } from '../../http/context.js';
import { InsufficientScope } from '../../http/errors.js';
import { serve } from '../../http/route-contract.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import type { Cause } from '../../stores/event-store/codec.js';
import { bearerToken } from '../authorization-header.js';
import type { ClientAuthentication } from '../clients/client-authentication.js';
import { UnsupportedGrantType } from '../errors.js';
import type { Identity } from '../identity/caller.js';
import { narrowed, type ResourceOf } from '../protected-resource.js';
import { forbidCaching, type LimitFailures } from '../token-errors.js';
import { parameter, parseParameters, text, tokenBody } from '../token-parameters.js';
import type { TokenLifetime } from './access-token.js';
import {
  access,
  exchangeRoute,
  redirectUri,
  refresh as refreshGrant,
  refreshRoute,
  scope,
  testQuery,
  testRoute,
  whoamiRoute,
} from './contract.js';
import type { CodeExchange, Tokens } from './exchange-code.js';
import type { SessionRefresh } from './refresh-session.js';
import type { IdentityTokenCheck } from './trusted-issuers.js';

type TokenRoutesDependencies = {
  exchangeCode: CodeExchange;
  refreshSession: SessionRefresh;
  accessTokens: TokenLifetime;
  requireBearer: Identity['requireBearer'];
  isIdentityToken: IdentityTokenCheck;
  clients: ClientAuthentication;
  limited: LimitFailures;
  resourceOf: ResourceOf;
};

/**
 * `POST /access`, `POST /refresh` (errors: `answerTokenError`), `GET /test` and `GET /whoami`. `/access` is the token endpoint of RFC 6749 §3.2, of which
 * OAuth clients know one only: it exchanges refresh tokens as `/refresh` does.
 */
export function tokenRoutes(dependencies: TokenRoutesDependencies): Routes {
  const { exchangeCode, refreshSession, accessTokens, requireBearer, isIdentityToken, clients, limited, resourceOf } =
    dependencies;
  const router: Routes = new Router<RequestState>({ sensitive: true });

  async function exchange(ctx: Context): Promise<void> {
    const client = await clients.authenticate(ctx);
    const { code, code_verifier: codeVerifier } = accessRequest(ctx);
    const redirectUri = client && redirectUriOf(ctx);
    const resourceFor = (ofCode: string | undefined) =>
      narrowed(resourceOf(ctx, ofCode)?.of, resourceOf(ctx, resourceSent(ctx)));
    const tokens = await exchangeCode({ code, codeVerifier, client, redirectUri, resourceFor }, causedBy(ctx));
    forbidCaching(ctx);
    ctx.body = { ...answerOf(tokens, accessTokens), user_id: tokens.userId, org_id: tokens.orgId };
  }

  async function refresh(ctx: Context): Promise<void> {
    const presentedBy = await clients.check(ctx);
    const { refresh_token: refreshToken } = refreshRequest(ctx);
    const scopes = presentedBy && 'client' in presentedBy ? scopeOf(ctx) : undefined;
    const resource = resourceOf(ctx, resourceSent(ctx));
    const tokens = await refreshSession({ refreshToken, presentedBy, scopes, resource }, causedBy(ctx));
    forbidCaching(ctx);
    ctx.body = answerOf(tokens, accessTokens);
  }

  serve(router, exchangeRoute, limited, (ctx) => (asksForRefresh(ctx) ? refresh(ctx) : exchange(ctx)));
  serve(router, refreshRoute, limited, refresh);

  serve(router, testRoute, async (ctx) => {
    const { scope = [] } = parseInput(testQuery, ctx.query);
    const token = bearerToken(ctx);
    const isIdentity = token !== undefined && (await isIdentityToken(token));
    if (!isIdentity) await requireBearer(ctx, scope);
    else if (scope[0] !== undefined) throw new InsufficientScope(scope[0]); // an identity token has no scopes
    forbidCaching(ctx);
    ctx.body = { success: 1 };
  });

  serve(router, whoamiRoute, async (ctx) => {
    ctx.body = await requireBearer(ctx, []);
    forbidCaching(ctx);
  });

  return router;
}

const causedBy =
  (ctx: Context) =>
  (actor: string): Cause =>
    causeOf(ctx.state, actor);

/** RFC 6749 §5.1. */
const answerOf = ({ accessToken, refreshToken, scope }: Tokens, { ttlSeconds }: TokenLifetime) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: ttlSeconds,
  refresh_token: refreshToken,
  scope,
});

const grant = z.object({ grant_type: parameter(text(256)) });

/** False also if the body is invalid. */
const asksForRefresh = (ctx: Context): boolean => grant.safeParse(ctx.state.body).data?.grant_type === 'refresh_token';

const accessRequest = (ctx: Context): z.output<typeof access> =>
  tokenRequest(ctx, ['authorization_code', 'refresh_token'], access);

const refreshRequest = (ctx: Context): z.output<typeof refreshGrant> =>
  tokenRequest(ctx, ['refresh_token'], refreshGrant);

const redirectUriOf = (ctx: Context): string | undefined => parseParameters(redirectUri, tokenBody(ctx)).redirect_uri;

const resourceSent = (ctx: Context): unknown => z.looseObject({}).safeParse(ctx.state.body).data?.resource;

const scopeOf = (ctx: Context): readonly string[] | undefined =>
  parseParameters(scope, tokenBody(ctx))
    .scope?.split(' ')
    .filter((each) => each !== '');

/** `grantTypes`: those of the route; the first one is that of `schema`. */
function tokenRequest<Request>(
  ctx: Context,
  grantTypes: readonly [string, ...string[]],
  schema: z.ZodType<Request>,
): Request {
  const body = tokenBody(ctx);
  if (parseParameters(grant, body).grant_type !== grantTypes[0]) throw new UnsupportedGrantType(...grantTypes);
  return parseParameters(schema, body);
}
