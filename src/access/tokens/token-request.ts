import { z } from 'zod';
import type { Context } from '../../http/context.js';
import { UnsupportedGrantType } from '../oauth-errors.js';
import { parameter, parseParameters, text, tokenBody } from '../token-parameters.js';

const grant = z.object({ grant_type: parameter(text(256)) });

/** Other parameters are ignored. */
export const access = z.object({ code: parameter(text(8_192)), code_verifier: parameter(text(1_024).optional()) });
export const refresh = z.object({ refresh_token: parameter(text(1_024)) });

/** Read only if a client is registered: without one, any value is ignored. */
export const redirectUri = z.object({ redirect_uri: parameter(text(2_048).optional()) });
export const scope = z.object({ scope: parameter(text(1_024).optional()) });

/** Whether the body of `POST /access` has the grant type `refresh_token`; false also if it is invalid. */
export const asksForRefresh = (ctx: Context): boolean =>
  grant.safeParse(ctx.request.body).data?.grant_type === 'refresh_token';

/** Parses the body with which a code is exchanged, JSON or a form. Throws `InvalidTokenRequest` and `UnsupportedGrantType`. */
export const accessRequest = (ctx: Context): z.output<typeof access> =>
  tokenRequest(ctx, ['authorization_code', 'refresh_token'], access);

/** Parses the body with which a refresh token is exchanged, JSON or a form. Throws `InvalidTokenRequest` and `UnsupportedGrantType`. */
export const refreshRequest = (ctx: Context): z.output<typeof refresh> => tokenRequest(ctx, ['refresh_token'], refresh);

/** The `redirect_uri` of a client's request (RFC 6749 §4.1.3). Throws `InvalidTokenRequest`. */
export const redirectUriOf = (ctx: Context): string | undefined =>
  parseParameters(redirectUri, tokenBody(ctx)).redirect_uri;

/** The `scope` of a client's request (RFC 6749 §3.3), as a list. Throws `InvalidTokenRequest`. */
export const scopeOf = (ctx: Context): readonly string[] | undefined =>
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
