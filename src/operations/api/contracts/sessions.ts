import { listSessionsRequest, revokeSessionsRequest } from '../../../access/sessions/contract.js';
import { revokedSessionAnswer, revokedSessionExample, sessionAnswer, sessionExample } from '../answers/session.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listOf } from './fields.js';

const subject = 'Sessions';

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

export const sessionContracts = [listSessionsRoute, revokeSessionsRoute];
