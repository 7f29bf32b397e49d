import Router from '@koa/router';
import { clientScope } from '../../events/client-events.js';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { serve } from '../../http/route-contract.js';
import { mcpPath } from '../protected-resource.js';
import type { IssuerOf } from '../service-issuer.js';
import { metadataRoutes, resourceMetadataRoutes } from './contract.js';

type MetadataSettings = {
  publicUrl: string | undefined;
  issuerOf: IssuerOf;
  /** The endpoint for agents is on. */
  isOn?: boolean;
  /** Clients may have documents. */
  hasDocuments?: boolean;
};

/** RFC 8414 and, of the endpoint for agents, RFC 9728. */
export function metadata({ publicUrl, issuerOf, isOn = false, hasDocuments = false }: MetadataSettings): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  const answer = (ctx: Context) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = {
      ...endpoints(issuerOf(ctx)),
      ...(hasDocuments && { client_id_metadata_document_supported: true }),
    };
  };
  for (const route of metadataRoutes(publicUrl)) serve(router, route, answer);
  const answerResource = (ctx: Context) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = protectedResource(issuerOf(ctx));
  };
  if (isOn) for (const route of resourceMetadataRoutes(publicUrl)) serve(router, route, answerResource);
  return router;
}

const protectedResource = (base: string) => ({
  resource: `${base}${mcpPath}`,
  authorization_servers: [base],
  scopes_supported: clientScope.options,
  bearer_methods_supported: ['header'],
  resource_name: 'Flow Hooks',
});

const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post'];

const endpoints = (base: string) => ({
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
