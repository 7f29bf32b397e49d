import { z } from 'zod';
import type { AnswerDescription, Route } from '../../http/route-contract.js';
import { opaqueId } from '../../kernel/input/texts.js';
import { jsonOrForm } from '../token-parameters.js';

const text = z.string().optional();

/** RFC 6749 §4.1.1. Login pages may know others: the whole query is forwarded. */
const authorizationRequest = z.object({
  response_type: text.describe('`code`: the only value.'),
  client_id: text.describe('The registered client. Providers need it.'),
  redirect_uri: text.describe(
    'The address at which the platform gets the code. Providers need it, and it has to be one of the client.',
  ),
  state: text.describe('Returned unchanged.'),
  scope: text.describe('Scopes, separated by spaces; without it, all scopes of the client.'),
  response_mode: text.describe('`query`: the only value.'),
  code_challenge: text.describe('PKCE (RFC 7636): the base64url of a SHA-256 digest.'),
  code_challenge_method: text.describe('`S256`: the only method.'),
  resource: text.describe('The only resource that the tokens will be for (RFC 8707).'),
});

const redirectUri = z
  .string({ error: 'must be sent once' })
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be an http or https URL',
  });
const once = z.string({ error: 'must be sent once' }).optional();

export const carried = z.object({
  response_type: once,
  response_mode: once,
  redirect_uri: z.preprocess((value) => (value === '' ? undefined : value), redirectUri.optional()),
  state: once,
  client_id: once,
  scope: once,
  code_challenge: once,
  code_challenge_method: once,
  resource: once,
});

export const signIn = carried.extend({ user_id: opaqueId, org_id: opaqueId });

export const page = (description: string): AnswerDescription => ({
  description,
  type: 'text/html',
  schema: z.string(),
});

const refused = page('A page for browsers.');

const location = { Location: 'The address to go to.' };

const common = { tag: 'Platforms: sign-in and tokens', credentials: { anonymous: [] } } as const;

export const authorizationRoute: Route = {
  ...common,
  name: 'beginSignIn',
  method: 'get',
  path: '/oauth2',
  summary: 'Begin a sign-in',
  description:
    'Leads browsers to the login page of the requested host, with the query as it came; or, on a host with an OpenID provider, to the ' +
    'provider, and from there with `code`, `state` and `iss` back to the `redirect_uri`.',
  query: authorizationRequest,
  answer: {
    status: 302,
    description: 'Leads to the login page or the provider; to the platform, with an error (RFC 6749 §4.1.2.1).',
    headers: location,
  },
  otherAnswers: { 400: refused, 503: refused },
  errors: ['not_found', 'identity_provider_unavailable'],
};

export const signInPageRoute: Route = {
  ...common,
  name: 'showSignInPage',
  method: 'get',
  path: '/sign-in',
  summary: 'Show the sign-in page of development mode',
  description: 'Stands for a login page: it asks for any user and organisation.',
  query: carried,
  answer: page('A page with a form.'),
  otherAnswers: {
    302: { description: 'Leads to the platform, with an error (RFC 6749 §4.1.2.1).', headers: location },
    400: refused,
  },
  errors: [],
};

export const submitSignInRoute: Route = {
  ...common,
  name: 'submitSignIn',
  method: 'post',
  path: '/sign-in',
  summary: 'Get a code without a check (development mode)',
  description: 'The code is exchanged at `POST /access`, as that of a login page.',
  body: signIn,
  bodyTypes: jsonOrForm,
  bodyExample: { user_id: 'ada', org_id: 'acme' },
  answer: {
    description: 'The code, for requests that prefer JSON; else a page with it.',
    schema: z.strictObject({ code: z.string(), expires_in: z.int().describe('Seconds.') }),
    example: { code: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl', expires_in: 300 },
    alternatively: 'text/html',
  },
  otherAnswers: {
    303: {
      description: 'Leads to the `redirect_uri`, with `code`, `state` and `iss`; or with an error (RFC 6749 §4.1.2.1).',
      headers: location,
    },
    400: refused,
  },
  errors: [],
};
