import { z } from 'zod';
import type { RouteDescription } from '../../http/api-description/route-description.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { adminRoles } from '../admin-keys.js';
import { bodyCredentials } from '../clients/client-authentication.js';
import { jsonOrForm, tokenErrors } from '../token-parameters.js';
import { access, redirectUri, refresh, scope, testQuery } from './routes.js';

const tokens = {
  access_token: z.string().describe('A JWT, for the header `Authorization: Bearer …`.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds until the access token expires.'),
  refresh_token: z.string().describe('Exchange it at `POST /refresh` or `POST /access`.'),
  scope: z.string().optional().describe('What the token allows, where clients are registered.'),
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
  ...bodyCredentials.shape,
});

const refreshRequest = z.object({
  grant_type: z.literal('refresh_token'),
  ...refresh.shape,
  ...scope.shape,
  ...bodyCredentials.shape,
});

const credentialFacts = z.strictObject({
  actor: z.string().describe('Names the caller in the history: `user:42`, `admin:ops`, `api-key:` and its ID.'),
  orgId: z.string().nullable().describe('Null: every organisation.'),
  userId: z.string().nullable().describe('Null: these are not the credentials of a user.'),
  role: z.enum(adminRoles).nullable().describe('Of an admin key; null for others.'),
  scopes: z.array(z.string()),
});

const newTokens = z.strictObject(tokens);

const common = {
  tag: 'Platforms: sign-in and tokens',
  credentials: { clientCredentials: [], anonymous: [] },
  errors: [],
  commonErrors: 'none',
} as const;

export const tokenRouteDescriptions: readonly RouteDescription[] = [
  {
    ...common,
    name: 'exchangeCode',
    method: 'post',
    path: '/access',
    summary: 'Exchange a code or a refresh token for tokens',
    description:
      'The code comes from the sign-in that `GET /oauth2` begins, and works once. As soon as a client is registered, its credentials and ' +
      'the `redirect_uri` of the code are checked. A refresh token is exchanged as at `POST /refresh`: OAuth clients know one token ' +
      'endpoint only (RFC 6749 §3.2).',
    body: {
      schema: accessRequest,
      types: jsonOrForm,
      example: { grant_type: 'authorization_code', code: 'the-code-of-the-sign-in' },
    },
    answers: {
      200: {
        description:
          'The tokens of a new session, with its user and organisation; or, for a refresh token, new tokens.',
        schema: newTokens.extend({
          user_id: z.string().optional().describe('For a code only, as `org_id`.'),
          org_id: z.string().optional(),
        }),
        example: { ...tokensExample, user_id: 'ada', org_id: 'acme' },
      },
      ...tokenErrors(['invalid_grant', 'invalid_request', 'unsupported_grant_type', 'invalid_scope']),
    },
  },
  {
    ...common,
    name: 'refreshTokens',
    method: 'post',
    path: '/refresh',
    summary: 'Exchange a refresh token for new tokens',
    description:
      'Both tokens are new. The previous refresh token gives the same new one for a while, in case the answer was lost; after that, its use ' +
      'ends the session.',
    body: {
      schema: refreshRequest,
      types: jsonOrForm,
      example: { grant_type: 'refresh_token', refresh_token: tokensExample.refresh_token },
    },
    answers: {
      200: { description: 'New tokens.', schema: newTokens, example: tokensExample },
      ...tokenErrors(['invalid_grant', 'invalid_request', 'unsupported_grant_type', 'invalid_scope']),
    },
  },
  {
    name: 'checkToken',
    method: 'get',
    path: '/test',
    tag: 'Platforms: sign-in and tokens',
    summary: 'Check a token',
    description:
      'Accepts an access token, an API key, an admin key, or an identity token of a trusted issuer (`TRUSTED_ISSUERS`). With `orgid`, `userid` ' +
      'or `scope`, it is refused if it is for another organisation or user, or lacks a scope. `POST /introspect` says what a token is for.',
    credentials: { accessToken: [], apiKey: [], adminKey: ['viewer'] },
    headers: { orgid: opaqueId.optional(), userid: opaqueId.optional() },
    query: testQuery.shape,
    answers: {
      200: {
        description: 'The token is valid.',
        schema: z.strictObject({ success: z.literal(1) }),
        example: { success: 1 },
      },
    },
    errors: [
      ...(['invalid_request', 'unauthenticated', 'forbidden', 'insufficient_scope', 'too_many_requests'] as const),
      ...(['store_unavailable', 'key_set_unavailable', 'internal_error'] as const),
    ],
    commonErrors: 'none',
  },
  {
    name: 'whoami',
    method: 'get',
    path: '/whoami',
    tag: 'Platforms: sign-in and tokens',
    summary: 'Show what the credentials are for',
    description:
      'Of an access token, an API key or an admin key: who is calling, for which organisation, and what is permitted.',
    credentials: { accessToken: [], apiKey: [], adminKey: ['viewer'] },
    headers: { orgid: opaqueId.optional(), userid: opaqueId.optional() },
    answers: {
      200: {
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
    },
    errors: [
      ...(['invalid_request', 'unauthenticated', 'forbidden', 'too_many_requests'] as const),
      ...(['store_unavailable', 'internal_error'] as const),
    ],
    commonErrors: 'none',
  },
];
