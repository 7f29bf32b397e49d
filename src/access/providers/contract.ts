import { z } from 'zod';
import type { AnswerDescription, Route } from '../../http/route-contract.js';
import { page } from '../sign-in/contract.js';
import { jsonOrForm } from '../token-parameters.js';

const text = z.string({ error: 'must be sent once' });
export const choice = z.object({ sealed: text, organisation: text });
export const decision = z.object({ sealed: text, decision: z.enum(['allow', 'deny']) });
export const accountDecision = z.object({ sealed: text, decision: z.enum(['another', 'cancel']) });

const toPlatform: AnswerDescription = {
  description: 'Back to the platform.',
  headers: { Location: 'The `redirect_uri` of the platform, with `code`, `state` and `iss`, or with an error.' },
};

const common = {
  tag: 'Platforms: sign-in and tokens',
  credentials: { anonymous: [] },
  errors: ['identity_provider_unavailable'],
} as const;

const failures = { 400: page('A page for browsers.'), 503: page('A page for browsers.') };

const optional = z.string().optional();

export const callbackRoute: Route = {
  ...common,
  name: 'finishProviderSignIn',
  method: 'get',
  path: '/oauth2/callback',
  summary: 'Take the answer of an identity provider',
  description: 'Providers send the browser here. It needs the cookie that `GET /oauth2` set.',
  query: z.object({ code: optional, state: optional, iss: optional, error: optional, error_description: optional }),
  answer: page('Asks for the organisation, or for consent.'),
  otherAnswers: {
    ...failures,
    302: toPlatform,
    403: page('The account is refused: offers to use another one.'),
  },
};

const form = {
  ...common,
  method: 'post',
  description: 'The form of our own page; others are refused by their `Origin`.',
  bodyTypes: jsonOrForm,
} as const;

export const organisationRoute: Route = {
  ...form,
  name: 'chooseOrganisation',
  path: '/oauth2/organisation',
  summary: 'Choose an organisation',
  body: choice,
  bodyExample: { sealed: 'from-the-page', organisation: 'acme' },
  answer: page('Asks for consent.'),
  otherAnswers: { ...failures, 303: toPlatform },
};

export const consentRoute: Route = {
  ...form,
  name: 'answerConsent',
  path: '/oauth2/consent',
  summary: 'Allow or deny what a platform asks for',
  body: decision,
  bodyExample: { sealed: 'from-the-page', decision: 'allow' },
  answer: { status: 303, ...toPlatform },
  otherAnswers: failures,
};

export const accountRoute: Route = {
  ...form,
  name: 'replaceAccount',
  path: '/oauth2/account',
  summary: 'Replace a refused account, or cancel',
  body: accountDecision,
  bodyExample: { sealed: 'from-the-page', decision: 'another' },
  answer: {
    status: 303,
    description:
      'Leads to the identity provider, which asks for an account; or back to the platform with `access_denied`.',
    headers: { Location: 'The page of the provider, or the `redirect_uri` of the platform.' },
  },
  otherAnswers: failures,
};
