import Router from '@koa/router';
import { clientScope } from '../../events/client-events.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import type { IssuerOf } from '../service-issuer.js';

const path = '/.well-known/oauth-authorization-server';

/** The path of the metadata, and the one with the path of `publicUrl` behind it, if it has one (RFC 8414 §3.1). */
export function metadataPaths(publicUrl: string | undefined): readonly string[] {
  const suffix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  return suffix === '' ? [path] : [path, `${path}${suffix}`];
}

/** RFC 8414. */
export function metadataRoutes({ publicUrl, issuerOf }: { publicUrl: string | undefined; issuerOf: IssuerOf }): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const answer = (ctx: Context) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = metadata(issuerOf(ctx));
  };
  for (const path of metadataPaths(publicUrl)) router.get(path, answer);
  return router;
}

const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post'];

const metadata = (base: string) => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth2`,
  token_endpoint: `${base}/access`,
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
  authorization_response_iss_parameter_supported: true, // RFC 9207 §3: each sign-in page sends it
});
