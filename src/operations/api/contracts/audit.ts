import { z } from 'zod';
import { asOfRequest, historyRequest, serviceHistoryRequest } from '../../audit/contract.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, wholeNumber } from './lists.js';

const subject = 'Audit';
const page = { limit: z.int().min(1).max(1_000).default(100), after: wholeNumber.optional() };

export const showHistoryRoute = adminRoute({
  method: 'post',
  path: '/audit/history',
  subject,
  summary: "List every change to an organisation's registrations, in order",
  description:
    "It changes nothing; it is a POST because a hook's URL is a capability and must not appear in access logs.",
  body: { ...historyRequest, ...page },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const showServiceHistoryRoute = adminRoute({
  method: 'get',
  path: '/audit/service-history',
  subject,
  summary: "List every change to the service's clients and keys, in order",
  query: { ...serviceHistoryRequest, limit: limitParameter, after: wholeNumber.optional() },
  answer: { schema: z.unknown(), example: {} },
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
  body: asOfRequest,
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const auditContracts = [showHistoryRoute, showServiceHistoryRoute, showAsOfRoute];
