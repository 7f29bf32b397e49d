import { z } from 'zod';
import { asOfRequest, historyRequest, serviceHistoryRequest } from '../../audit/contract.js';
import {
  auditEntryAnswer,
  auditEntryExample,
  registrationThenAnswer,
  registrationThenExample,
} from '../answers/audit.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf, orgIdField, wholeNumber } from './fields.js';

const subject = 'Audit';
const page = { limit: z.int().min(1).max(1_000).default(100), after: wholeNumber.optional() };

export const showHistoryRoute = adminRoute({
  method: 'post',
  path: '/audit/history',
  subject,
  summary: "List every change to an organisation's registrations, in order",
  description:
    "It changes nothing; it is a POST because a hook's URL is a capability and must not appear in access logs.",
  body: { ...historyRequest, ...page, orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, from: exampleTimes.before, to: exampleTimes.at },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [auditEntryExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const showServiceHistoryRoute = adminRoute({
  method: 'get',
  path: '/audit/service-history',
  subject,
  summary: "List every change to the service's clients and keys, in order",
  query: { ...serviceHistoryRequest, limit: limitParameter, after: wholeNumber.optional() },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [auditEntryExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showAsOfRoute = adminRoute({
  method: 'post',
  path: '/audit/as-of',
  subject,
  summary: "Show an organisation's registrations at a time or position",
  description:
    "It changes nothing; it is a POST because a hook's URL is a capability and must not appear in access logs.",
  body: { ...asOfRequest, orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, at: exampleTimes.at },
  answer: { schema: listOf(registrationThenAnswer), example: { items: [registrationThenExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const auditContracts = [showHistoryRoute, showServiceHistoryRoute, showAsOfRoute];
