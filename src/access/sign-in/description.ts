import { z } from 'zod';
import type { Fields, RouteDescription } from '../../http/api-description/route-description.js';
import { jsonOrForm } from '../token-parameters.js';
import { carried, signIn } from './development.js';

const tag = 'Platforms: sign-in and tokens';
const text = z.string().optional();

/** RFC 6749 §4.1.1. Login pages may know others: the whole query is forwarded. */
const authorizationRequest: Fields = {
  response_type: text.describe('`code`.'),
  client_id: text.describe('The registered client. Providers need it.'),
  redirect_uri: text.describe(
    'Where the platform gets the code. Providers need it, and it has to be one of the client.',
  ),
  state: text.describe('Returned unchanged.'),
  scope: text.describe('Separated by spaces; without it all that the client may have.'),
  response_mode: text.describe('`query`, the default.'),
  code_challenge: text.describe('PKCE (RFC 7636): the base64url of a SHA-256 digest.'),
  code_challenge_method: text.describe('`S256`.'),
};

const refused = { description: 'As a page for browsers.', type: 'text/html', schema: z.string() };

const location = { Location: 'The address to go to.' };

export const authorizationDescription: RouteDescription = {
  name: 'beginSignIn',
  method: 'get',
  path: '/oauth2',
  tag,
  summary: 'Begin a sign-in',
  description:
    'For browsers: leads to the login page of the requested host, with the query as it came; or, on a host with an OpenID provider, to the ' +
    'provider, and from there with `code`, `state` and `iss` back to the `redirect_uri`.',
  credentials: { anonymous: [] },
  query: authorizationRequest,
  answers: {
    302: {
      description: 'To the login page or the provider; to the platform, with an error (RFC 6749 §4.1.2.1).',
      headers: location,
    },
    400: refused,
    503: { description: 'As a page for browsers.', type: 'text/html', schema: z.string() },
  },
  errors: ['not_found', 'identity_provider_unavailable'],
};

export const developmentSignInDescriptions: readonly RouteDescription[] = [
  {
    name: 'showSignInPage',
    method: 'get',
    path: '/sign-in',
    tag,
    summary: 'Show the sign-in page of development mode',
    description: 'In the place of a login page: it asks for any user and organisation.',
    credentials: { anonymous: [] },
    query: carried.shape,
    answers: {
      200: { description: 'A page with a form.', type: 'text/html', schema: z.string() },
      302: { description: 'To the platform, with an error (RFC 6749 §4.1.2.1).', headers: location },
      400: refused,
    },
    errors: [],
  },
  {
    name: 'submitSignIn',
    method: 'post',
    path: '/sign-in',
    tag,
    summary: 'Get a code without a check (development mode)',
    description: 'The code is exchanged at `POST /access`, as that of a login page.',
    credentials: { anonymous: [] },
    body: {
      schema: signIn,
      types: jsonOrForm,
      example: { user_id: 'ada', org_id: 'acme' },
    },
    answers: {
      200: {
        description: 'The code, for requests that prefer JSON; else a page with it.',
        schema: z.strictObject({ code: z.string(), expires_in: z.int().describe('Seconds.') }),
        example: { code: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl', expires_in: 300 },
        alternatively: 'text/html',
      },
      303: {
        description: 'To the `redirect_uri`, with `code`, `state` and `iss`; or with an error (RFC 6749 §4.1.2.1).',
        headers: location,
      },
      400: refused,
    },
    errors: [],
  },
];
