import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { uuidParameter } from '../../../kernel/input/uuid-parameter.js';
import { changedConsentAnswer, consentAnswer, consentExample } from '../answers/session.js';
import { exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'Consents';
const consentId = uuidParameter('must be the ID of a consent');

export const listConsentsRoute = adminRoute({
  method: 'get',
  path: '/consents',
  subject,
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
  subject,
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

export const consentContracts = [listConsentsRoute, withdrawConsentRoute];
