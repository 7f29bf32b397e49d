import { z } from 'zod';
import { listSessionsRequest, revokeSessionsRequest } from '../../../access/sessions/sessions.js';
import { opaqueId, uuidParameter } from '../../../kernel/input/texts.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import {
  afterParameter,
  changed,
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  orgIdField,
  timeOrNull,
} from './fields.js';

const consentRoute = adminRoutesOf('consents');

const session = {
  sessionId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  clientId: z.string().nullable().describe('The client to which it is bound.'),
  issuedAt: z.string(),
  rotatedAt: z.string().describe('The time of the last rotation of its refresh token.'),
};

const sessionAnswer = z
  .strictObject({
    ...session,
    state: z.enum(['active', 'revoked']),
    rotations: z.int().nonnegative(),
    reusedAt: timeOrNull.describe('Time at which an earlier refresh token was presented.'),
    revokedAt: timeOrNull,
    reason: z.string().nullable().describe('The reason of the revocation.'),
  })
  .meta({ id: 'Session', description: "A user's session, without its tokens." });

const revokedSessionAnswer = z.strictObject(session).meta({ id: 'RevokedSession' });

const consent = {
  consentId: z.uuid(),
  clientId: z.string(),
  orgId: z.string(),
  userId: z.string(),
  scopes: z.array(z.string()),
  grantedAt: z.string(),
  state: z.enum(['granted', 'withdrawn']),
  withdrawnAt: z.string().optional(),
};

const consentAnswer = z
  .strictObject(consent)
  .meta({ id: 'Consent', description: 'The agreement of a user that a client acts for them in an organisation.' });

const changedConsentAnswer = z.strictObject({ ...consent, changed }).meta({ id: 'ChangedConsent' });

const route = adminRoutesOf('sessions');

export const listSessionsRoute = route('listSessions', 'get', '/sessions', {
  summary: 'List sessions',
  description:
    'Sessions with all given properties. One that has expired is `active` until it is revoked or deleted. A page may have fewer items than ' +
    '`limit`, and still have a next one.',
  query: { ...listSessionsRequest, limit: limitParameter, after: afterParameter },
  answer: listAnswer(sessionAnswer),
  access: { role: 'viewer', organisation: 'query' },
});

export const revokeSessionsRoute = route('revokeSessions', 'post', '/sessions/revoke', {
  summary: 'Revoke sessions',
  description:
    'Names a session by `sessionId`, or several by one or more of `orgId`, `userId` and `clientId`. The answer lists the ' +
    'revoked sessions; `next` is the `after` of the next call.',
  body: { ...revokeSessionsRequest, after: afterParameter },
  bodyExample: { orgId: exampleIds.orgId, userId: '42' },
  answer: listAnswer(revokedSessionAnswer),
  errors: ['session_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

const consentId = uuidParameter('must be the ID of a consent');

export const listConsentsRoute = consentRoute('listConsents', 'get', '/consents', {
  summary: 'List the consents in an organisation',
  description: 'All of them, or with `userId` those of one user.',
  query: {
    orgId: orgIdField,
    userId: opaqueId.optional(),
    limit: limitParameter,
    after: consentId.optional(),
  },
  answer: listAnswer(consentAnswer),
  access: { role: 'viewer', organisation: 'query' },
});

export const withdrawConsentRoute = consentRoute('withdrawConsent', 'post', '/consents/:id/withdraw', {
  summary: 'Withdraw a consent',
  description: 'The user is asked again at the next sign-in.',
  params: { id: consentId.meta({ description: 'The ID of a consent.' }) },
  answer: {
    schema: changedConsentAnswer,
    example: { state: 'withdrawn', withdrawnAt: exampleTimes.after, changed: ['ConsentWithdrawn'] },
  },
  errors: ['consent_not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const sessionContracts = route.declared;

export const consentContracts = consentRoute.declared;
