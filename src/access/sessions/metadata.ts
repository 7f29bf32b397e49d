import Router from '@koa/router';
import { clientScope } from '../../events/client-events.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { requestedHost } from '../../http/forwarded.js';

const path = '/.well-known/oauth-authorization-server';

/**
 * `GET /.well-known/oauth-authorization-server` (RFC 8414), also with the path of `publicUrl` behind it (§3.1). Without
 * `publicUrl`, in development mode, the issuer is the requested address, although access tokens name another one.
 */
export function metadataRoutes({ publicUrl }: { readonly publicUrl: string | undefined }): Routes {
  const router: Routes = new Router<RequestState>();
  const baseOf = (ctx: Context): string => publicUrl ?? `http://${requestedHost(ctx)}`;
  const answer = (ctx: Context) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = metadata(baseOf(ctx));
  };
  router.get(path, answer);
  const suffix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  if (suffix !== '') router.get(`${path}${suffix}`, answer);
  return router;
}

const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post'];

/** `refresh_endpoint` is not of the RFC: refresh tokens are exchanged at a route of their own. */
const metadata = (base: string) => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth2`,
  token_endpoint: `${base}/access`,
  refresh_endpoint: `${base}/refresh`,
  jwks_uri: `${base}/.well-known/jwks.json`,
  revocation_endpoint: `${base}/revoke`,
  introspection_endpoint: `${base}/introspect`,
  scopes_supported: clientScope.options,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: [...clientAuthenticationMethods, 'none'],
  revocation_endpoint_auth_methods_supported: [...clientAuthenticationMethods, 'none'],
  introspection_endpoint_auth_methods_supported: [...clientAuthenticationMethods, 'Bearer'],
});
