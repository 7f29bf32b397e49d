import { listSessionsRequest, revokeSessionsRequest } from '../../../access/sessions/contract.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import {
  changedConsentAnswer,
  consentAnswer,
  consentExample,
  revokedSessionAnswer,
  revokedSessionExample,
  sessionAnswer,
  sessionExample,
} from '../answers/session.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'sessions';

export const listSessionsRoute = adminRoute({
  method: 'get',
  path: '/sessions',
  subject,
  summary: 'List sessions',
  description:
    'Those with all given properties. One that has expired is `active` until it is revoked or deleted. A page may have fewer items than ' +
    '`limit`, and still have a next one.',
  query: { ...listSessionsRequest, limit: limitParameter, after: afterParameter },
  answer: { schema: listOf(sessionAnswer), example: { items: [sessionExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const revokeSessionsRoute = adminRoute({
  method: 'post',
  path: '/sessions/revoke',
  subject,
  summary: 'Revoke sessions',
  description:
    'Names a session by `sessionId`, or several by one or more of `orgId`, `userId` and `clientId`. Answers those that it has ' +
    'revoked; `next` is the `after` of the next call.',
  body: { ...revokeSessionsRequest, after: afterParameter },
  bodyExample: { orgId: exampleIds.orgId, userId: '42' },
  answer: { schema: listOf(revokedSessionAnswer), example: { items: [revokedSessionExample], next: null } },
  errors: ['session_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

const consentId = uuidParameter('must be the ID of a consent');

export const listConsentsRoute = adminRoute({
  method: 'get',
  path: '/consents',
  subject: 'consents',
  summary: 'List the consents in an organisation',
  description: 'All of them, or with `userId` those of one user.',
  query: {
    orgId: orgIdField,
    userId: opaqueId.optional(),
    limit: limitParameter,
    after: consentId.optional(),
  },
  answer: { schema: listOf(consentAnswer), example: { items: [consentExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const withdrawConsentRoute = adminRoute({
  method: 'post',
  path: '/consents/:id/withdraw',
  subject: 'consents',
  summary: 'Withdraw a consent',
  description: 'The user is asked again at the next sign-in.',
  params: { id: consentId.meta({ description: 'The ID of a consent.' }) },
  answer: {
    schema: changedConsentAnswer,
    example: { ...consentExample, state: 'withdrawn', withdrawnAt: exampleTimes.after, changed: ['ConsentWithdrawn'] },
  },
  errors: ['consent_not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const sessionContracts = [listSessionsRoute, revokeSessionsRoute];

export const consentContracts = [listConsentsRoute, withdrawConsentRoute];
