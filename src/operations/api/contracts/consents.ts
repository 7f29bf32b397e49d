import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter } from './lists.js';

const subject = 'Consents';
const consentId = uuidParameter('must be the ID of a consent');

export const listConsentsRoute = adminRoute({
  method: 'get',
  path: '/consents',
  subject,
  summary: 'List the consents in an organisation',
  description: 'All of them, or with `userId` those of one user.',
  query: {
    orgId: opaqueId,
    userId: opaqueId.optional(),
    limit: limitParameter,
    after: consentId.optional(),
  },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const withdrawConsentRoute = adminRoute({
  method: 'post',
  path: '/consents/:id/withdraw',
  subject,
  summary: 'Withdraw a consent',
  description: 'The user is asked again at the next sign-in.',
  params: { id: consentId },
  answer: { schema: z.unknown(), example: {} },
  errors: ['consent_not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const consentContracts = [listConsentsRoute, withdrawConsentRoute];
