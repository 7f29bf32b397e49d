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

const toPlatform: AnswerDescription = {
  description: 'Back to the platform.',
  headers: { Location: 'The `redirect_uri` of the platform, with `code`, `state` and `iss`, or with an error.' },
};

const common = {
  tag: 'Platforms: sign-in and tokens',
  credentials: { anonymous: [] },
  errors: ['identity_provider_unavailable'],
} as const;

const failures = { 400: page('As a page for browsers.'), 503: page('As a page for browsers.') };

const text = z.string().optional();

const form = (
  name: string,
  path: string,
  summary: string,
  schema: z.ZodType,
  { example, answers }: { example: object; answers: RouteDescription['answers'] },
): RouteDescription => ({
  ...common,
  name,
  method: 'post',
  path: `/oauth2/${path}`,
  summary,
  description: 'The form of our own page; others are refused by their `Origin`.',
  body: { schema, types: jsonOrForm, example: { sealed: 'from-the-page', ...example } },
  answers: { ...failures, ...answers },
});

/** Routes of `providerRoutes` for browsers only, beside `GET /oauth2`. */
const providerRouteDescriptions: readonly RouteDescription[] = [
  {
    ...common,
    name: 'finishProviderSignIn',
    method: 'get',
    path: '/oauth2/callback',
    summary: 'Take the answer of an identity provider',
    description: 'Providers send the browser here. It needs the cookie that `GET /oauth2` set.',
    query: { code: text, state: text, iss: text, error: text, error_description: text },
    answers: {
      ...failures,
      200: page('Asks for the organisation, or for consent.'),
      302: toPlatform,
      403: page('The account is refused: offers to use another one.'),
    },
  },
  form('chooseOrganisation', 'organisation', 'Choose an organisation', choice, {
    example: { organisation: 'acme' },
    answers: { 200: page('Asks for consent.'), 303: toPlatform },
  }),
  form('answerConsent', 'consent', 'Allow or deny what a platform asks for', decision, {
    example: { decision: 'allow' },
    answers: { 303: toPlatform },
  }),
  form('replaceAccount', 'account', 'Replace a refused account, or cancel', accountDecision, {
    example: { decision: 'another' },
    answers: {
      303: {
        description:
          'To the identity provider, which asks for an account; or back to the platform with `access_denied`.',
        headers: { Location: 'The page of the provider, or the `redirect_uri` of the platform.' },
      },
    },
  }),
];
