import { z } from 'zod';
import { clientScope } from '../../events/client-events.js';
import type { Route } from '../../http/route-contract.js';
import { bodyCredentials } from '../clients/client-authentication.js';
import { mcpPath, resourceMetadata } from '../protected-resource.js';
import { jsonOrForm, parameter, text, tokenErrors } from '../token-parameters.js';

/** `token_type_hint` and other parameters are ignored: a token shows its type. */
export const tokenRequest = z.object({ token: parameter(text(8_192)) });

const tag = 'Platforms: sign-in and tokens';
const exampleToken = 'g1.6b1f2a3c4d5e4f60a1b2c3d4e5f60718.0f6Wl2k3';

const common = {
  method: 'post',
  tag,
  body: z.object({
    ...tokenRequest.shape,
    token_type_hint: z.string().optional().describe('Ignored: a token shows its type.'),
    ...bodyCredentials.shape,
  }),
  bodyTypes: jsonOrForm,
  bodyExample: { token: exampleToken },
  commonErrors: 'none',
} as const;

/** RFC 7662 §2.2. */
const introspection = z.strictObject({
  active: z.boolean().describe('False: the answer has no other field.'),
  iss: z.string().optional(),
  sub: z.string().optional().describe('The user, or `api-key:` and the ID of an API key.'),
  org_id: z.string().optional().describe('Missing for an API key that is for every organisation.'),
  sid: z.uuid().optional().describe('The session of a token.'),
  client_id: z.string().optional(),
  scope: z.string().optional(),
  iat: z.int().optional().describe('Seconds since 1970.'),
  exp: z.int().optional().describe('Seconds since 1970. Missing for an API key that does not expire.'),
  jti: z.string().optional(),
  token_type: z.literal('Bearer').optional().describe('Present for access tokens and API keys.'),
  aud: z.string().optional(),
});

export const revocationRoute: Route = {
  ...common,
  name: 'revokeToken',
  path: '/revoke',
  summary: 'End the session of a token',
  description:
    'Revokes an access token or a refresh token ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)). An unknown token gets the same answer.',
  credentials: { clientCredentials: [], anonymous: [] },
  answer: { description: 'The token is not valid any more.', schema: z.strictObject({}), example: {} },
  otherAnswers: tokenErrors(['invalid_request', 'invalid_grant']),
  errors: [],
};

export const introspectionRoute: Route = {
  ...common,
  name: 'introspectToken',
  path: '/introspect',
  summary: 'Show the state of a token',
  description:
    '[RFC 7662](https://www.rfc-editor.org/rfc/rfc7662). An admin key may ask for every token and API key, a client with a secret for its own tokens, an API key for ' +
    'itself.',
  credentials: { adminKey: ['viewer'], apiKey: [], clientCredentials: [] },
  answer: {
    description: 'The state of the token; only `active` if it is not valid, or not for the caller to know.',
    schema: introspection,
    example: {
      active: true,
      iss: 'https://hooks.example.com',
      sub: 'ada',
      org_id: 'acme',
      sid: '0a4f2d6c-93c1-5be1-8a9c-2f60d3a8f0c7',
      iat: 1_767_268_800,
      exp: 1_775_044_800,
    },
  },
  otherAnswers: tokenErrors(['invalid_request']),
  errors: ['unauthenticated', 'forbidden'],
};

const url = z.url();

const metadataAnswer = z.strictObject({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  revocation_endpoint: url,
  introspection_endpoint: url,
  scopes_supported: z.array(clientScope),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  revocation_endpoint_auth_methods_supported: z.array(z.string()),
  introspection_endpoint_auth_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
  client_id_metadata_document_supported: z.boolean().optional(),
});

const resourceAnswer = z.strictObject({
  resource: url,
  authorization_servers: z.array(url),
  scopes_supported: z.array(clientScope),
  bearer_methods_supported: z.array(z.string()),
  resource_name: z.string(),
});

const metadataRoute = {
  method: 'get',
  tag,
  credentials: { anonymous: [] },
  errors: ['too_many_requests', 'internal_error'],
  commonErrors: 'none',
} as const;

/** Metadata at its path, and at the one with the path of `publicUrl` behind it, if it has one (RFC 8414 §3.1). */
export const metadataRoutes = (publicUrl: string | undefined): readonly Route[] =>
  alsoBelow(publicUrl, '/.well-known/oauth-authorization-server', '', {
    ...metadataRoute,
    name: 'showAuthorizationServer',
    summary: 'Show the endpoints of the authorization server',
    description: '[RFC 8414](https://www.rfc-editor.org/rfc/rfc8414).',
    answer: { description: 'The endpoints, and what they support.', schema: metadataAnswer },
  });

/** Paths as of `metadataRoutes`, with that of the resource at the end (RFC 9728 §3.1). */
export const resourceMetadataRoutes = (publicUrl: string | undefined): readonly Route[] =>
  alsoBelow(publicUrl, resourceMetadata, mcpPath, {
    ...metadataRoute,
    name: 'showProtectedResource',
    summary: 'Show how agents get tokens for `/mcp`',
    description: '[RFC 9728](https://www.rfc-editor.org/rfc/rfc9728).',
    answer: { description: 'The resource and its authorization server.', schema: resourceAnswer },
  });

function alsoBelow(
  publicUrl: string | undefined,
  path: string,
  end: string,
  route: Omit<Route, 'path'>,
): readonly Route[] {
  const suffix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const atRoot = { ...route, path: `${path}${end}` };
  return suffix === '' ? [atRoot] : [atRoot, { ...route, name: `${route.name}2`, path: `${path}${suffix}${end}` }];
}
