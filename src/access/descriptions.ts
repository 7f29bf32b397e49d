import { z } from 'zod';
import type { AnswerDescription, RouteDescription } from '../http/api-description/route-description.js';
import { keyRouteDescriptions } from './keys/routes.js';
import { accountDecision, choice, decision } from './providers/routes.js';
import { metadataRouteDescriptions, sessionRouteDescriptions } from './sessions/description.js';
import { authorizationDescription, developmentSignInDescriptions } from './sign-in/description.js';
import { jsonOrForm } from './token-parameters.js';
import { tokenRouteDescriptions } from './tokens/description.js';

/** All routes that `access` may have; its settings decide which exist. */
export const accessDescriptions = (publicUrl: string | undefined): readonly RouteDescription[] => [
  authorizationDescription,
  ...developmentSignInDescriptions,
  ...tokenRouteDescriptions,
  ...sessionRouteDescriptions,
  ...providerRouteDescriptions,
  ...metadataRouteDescriptions(publicUrl),
  ...keyRouteDescriptions,
];

const page = (description: string): AnswerDescription => ({ description, type: 'text/html', schema: z.string() });

const location = { Location: 'The `redirect_uri` of the platform, with `code`, `state` and `iss`, or with an error.' };

const common = {
  tag: 'Platforms: sign-in and tokens',
  credentials: { anonymous: [] },
  errors: ['identity_provider_unavailable'],
} as const;

const failures = { 400: page('As a page for browsers.'), 503: page('As a page for browsers.') };

const text = z.string().optional();

/** Routes of `providerRoutes` for browsers only, beside `GET /oauth2`. */
const providerRouteDescriptions: readonly RouteDescription[] = [
  {
    ...common,
    method: 'get',
    path: '/oauth2/callback',
    summary: 'Take the answer of an identity provider',
    description: 'Providers send the browser here. It needs the cookie that `GET /oauth2` set.',
    query: { code: text, state: text, iss: text, error: text, error_description: text },
    answers: {
      ...failures,
      200: page('Asks for the organisation, or for consent.'),
      302: { description: 'Back to the platform.', headers: location },
      403: page('The account is refused: offers to use another one.'),
    },
  },
  {
    ...common,
    method: 'post',
    path: '/oauth2/organisation',
    summary: 'Choose an organisation',
    description: 'The form of our own page; others are refused by their `Origin`.',
    body: { schema: choice, types: jsonOrForm, example: { sealed: 'from-the-page', organisation: 'acme' } },
    answers: {
      ...failures,
      200: page('Asks for consent.'),
      303: { description: 'Back to the platform.', headers: location },
    },
  },
  {
    ...common,
    method: 'post',
    path: '/oauth2/consent',
    summary: 'Allow or deny what a platform asks for',
    description: 'The form of our own page; others are refused by their `Origin`.',
    body: { schema: decision, types: jsonOrForm, example: { sealed: 'from-the-page', decision: 'allow' } },
    answers: { ...failures, 303: { description: 'Back to the platform.', headers: location } },
  },
  {
    ...common,
    method: 'post',
    path: '/oauth2/account',
    summary: 'Replace a refused account, or cancel',
    description: 'The form of our own page; others are refused by their `Origin`.',
    body: { schema: accountDecision, types: jsonOrForm, example: { sealed: 'from-the-page', decision: 'another' } },
    answers: {
      ...failures,
      303: {
        description:
          'To the identity provider, which asks for an account; or back to the platform with `access_denied`.',
        headers: { Location: 'The page of the provider, or the `redirect_uri` of the platform.' },
      },
    },
  },
];
