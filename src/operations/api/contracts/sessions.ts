import { z } from 'zod';
import { listSessionsRequest, revokeSessionsRequest } from '../../../access/sessions/contract.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter } from './lists.js';

const subject = 'Sessions';

export const listSessionsRoute = adminRoute({
  method: 'get',
  path: '/sessions',
  subject,
  summary: 'List sessions',
  query: { ...listSessionsRequest, limit: limitParameter, after: afterParameter },
  answer: { schema: z.unknown(), example: {} },
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
  answer: { schema: z.unknown(), example: {} },
  errors: ['session_not_found'],
  access: { role: 'operator', organisation: 'service' },
});

export const sessionContracts = [listSessionsRoute, revokeSessionsRoute];
