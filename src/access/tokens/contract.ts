import { z } from 'zod';
import type { Route } from '../../http/route-contract.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { adminRoles } from '../admin-keys.js';
import { bodyCredentials } from '../clients/client-authentication.js';
import { jsonOrForm, parameter, text, tokenErrors } from '../token-parameters.js';

/** Other parameters are ignored. */
export const access = z.object({ code: parameter(text(8_192)), code_verifier: parameter(text(1_024).optional()) });
/** Longer than our own: tokens of other systems may be JWTs. */
export const refresh = z.object({ refresh_token: parameter(text(4_096)) });

/** Read only if a client is registered: without one, any value is ignored. */
export const redirectUri = z.object({ redirect_uri: parameter(text(2_048).optional()) });
export const scope = z.object({ scope: parameter(text(1_024).optional()) });
/** Read where agents may connect (RFC 8707); elsewhere, any value is ignored. */
const resource = z.object({ resource: z.string().optional() });

export const testQuery = z.object({
  scope: z
    .string()
    .regex(/^[a-z:]{1,32}( [a-z:]{1,32}){0,9}$/, { error: 'must be scopes, separated by spaces' })
    .transform((text) => text.split(' '))
    .optional()
    .describe('Scopes that the credentials have to have, separated by spaces: `listeners:write flows:publish`.'),
});

const tokens = {
  access_token: z.string().describe('A JWT, for the header `Authorization: Bearer …`.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds until the access token expires.'),
  refresh_token: z.string().describe('Exchange it at `POST /refresh` or `POST /access`.'),
  scope: z.string().optional().describe('The scopes of the token, where clients are registered.'),
};

const tokensExample = {
  access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 3_600,
  refresh_token: 'g1.6b1f2a3c4d5e4f60a1b2c3d4e5f60718.0f6Wl2k3',
};

/** One object for both grants: generated clients do not compile with a `oneOf` here. */
const accessRequest = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token']),
  ...access.partial().shape,
  ...redirectUri.shape,
  ...refresh.partial().shape,
  ...scope.shape,
  ...resource.shape,
  ...bodyCredentials.shape,
});

const refreshRequest = z.object({
  grant_type: z.literal('refresh_token'),
  ...refresh.shape,
  ...scope.shape,
  ...resource.shape,
  ...bodyCredentials.shape,
});

const credentialFacts = z.strictObject({
  actor: z.string().describe('Names the caller in the history: `user:42`, `admin:ops`, `api-key:` and its ID.'),
  orgId: z.string().nullable().describe('Null: every organisation.'),
  userId: z.string().nullable().describe('Null: these are not the credentials of a user.'),
  role: z.enum(adminRoles).nullable().describe('The role of an admin key; null for others.'),
  scopes: z.array(z.string()),
});

const newTokens = z.strictObject(tokens);

const tag = 'Platforms: sign-in and tokens';

const exchange = {
  method: 'post',
  tag,
  credentials: { clientCredentials: [], anonymous: [] },
  bodyTypes: jsonOrForm,
  otherAnswers: tokenErrors([
    'invalid_grant',
    'invalid_request',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_target',
  ]),
  errors: [],
  commonErrors: 'none',
} as const;

export const exchangeRoute: Route = {
  ...exchange,
  name: 'exchangeCode',
  path: '/access',
  summary: 'Exchange a code or a refresh token for tokens',
  description:
    'The code comes from the sign-in that `GET /oauth2` begins, and works once. As soon as a client is registered, its credentials and ' +
    'the `redirect_uri` of the code are checked. A refresh token is exchanged as at `POST /refresh`: OAuth clients know one token ' +
    'endpoint only (RFC 6749 §3.2).',
  body: accessRequest,
  bodyExample: { grant_type: 'authorization_code', code: 'the-code-of-the-sign-in' },
  answer: {
    description: 'The tokens of a new session, with its user and organisation; or, for a refresh token, new tokens.',
    schema: newTokens.extend({
      user_id: z.string().optional().describe('Only in the answer to a code, like `org_id`.'),
      org_id: z.string().optional(),
    }),
    example: { ...tokensExample, user_id: 'ada', org_id: 'acme' },
  },
};

export const refreshRoute: Route = {
  ...exchange,
  name: 'refreshTokens',
  path: '/refresh',
  summary: 'Exchange a refresh token for new tokens',
  description:
    'Both tokens are new. The previous refresh token gives the same new one for a while, in case the answer was lost; after that, its use ' +
    'ends the session.',
  body: refreshRequest,
  bodyExample: { grant_type: 'refresh_token', refresh_token: tokensExample.refresh_token },
  answer: { description: 'New tokens.', schema: newTokens, example: tokensExample },
};

const check = {
  method: 'get',
  tag,
  credentials: { accessToken: [], apiKey: [], adminKey: ['viewer'] },
  headers: z.object({ orgid: opaqueId.optional(), userid: opaqueId.optional() }),
  commonErrors: 'none',
} as const;

export const testRoute: Route = {
  ...check,
  name: 'checkToken',
  path: '/test',
  summary: 'Check a token',
  description:
    'Accepts an access token, an API key, an admin key, or an identity token of a trusted issuer (`TRUSTED_ISSUERS`). With `orgid`, `userid` ' +
    'or `scope`, it is refused if it is for another organisation or user, or lacks a scope. `POST /introspect` says what a token is for.',
  query: testQuery,
  answer: {
    description: 'The token is valid.',
    schema: z.strictObject({ success: z.literal(1) }),
    example: { success: 1 },
  },
  errors: [
    ...(['invalid_request', 'unauthenticated', 'forbidden', 'insufficient_scope', 'too_many_requests'] as const),
    ...(['store_unavailable', 'key_set_unavailable', 'internal_error'] as const),
  ],
};

export const whoamiRoute: Route = {
  ...check,
  name: 'whoami',
  path: '/whoami',
  summary: 'Show what the credentials are for',
  description: 'Caller, organisation and permissions of an access token, an API key or an admin key.',
  answer: {
    description: 'The credentials are valid.',
    schema: credentialFacts,
    example: {
      actor: 'api-key:0198c5a4-7d1e-7c3a-9b1f-2f6a8c0d4e12',
      orgId: 'acme',
      userId: null,
      role: null,
      scopes: ['flows:publish'],
    },
  },
  errors: [
    ...(['invalid_request', 'unauthenticated', 'forbidden', 'too_many_requests'] as const),
    ...(['store_unavailable', 'internal_error'] as const),
  ],
};
