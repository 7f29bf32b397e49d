import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';
import { asOfRequest, differenceRequest, historyRequest, serviceHistoryRequest } from '../../audit/contract.js';
import { auditEntryAnswer, auditEntryExample, listenerThenAnswer, listenerThenExample } from '../answers/audit.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf, orgIdField, position, positionParameter } from './fields.js';

const subject = 'audit';
const page = { limit: z.int().min(1).max(1_000).default(100), after: position.optional() };

export const showHistoryRoute = adminRoute({
  method: 'post',
  path: '/audit/history',
  subject,
  summary: "List every change to an organisation's listeners, in order",
  description:
    'It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.',
  body: { ...historyRequest, ...page, first: z.enum(['oldest', 'newest']).default('oldest'), orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, from: exampleTimes.before, to: exampleTimes.at },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [auditEntryExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const showServiceHistoryRoute = adminRoute({
  method: 'get',
  path: '/audit/service-history',
  subject,
  summary: "List every change to the service's clients, keys and event types, in order",
  query: { ...serviceHistoryRequest, limit: limitParameter, after: positionParameter.optional() },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [auditEntryExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const showAsOfRoute = adminRoute({
  method: 'post',
  path: '/audit/as-of',
  subject,
  summary: "Show an organisation's listeners at a time or position",
  description:
    'It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.',
  body: { ...asOfRequest, orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, at: exampleTimes.at },
  answer: { schema: listOf(listenerThenAnswer), example: { items: [listenerThenExample], next: null } },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

const facts = z.record(z.string(), jsonValue).nullable();

const difference = z
  .strictObject({
    change: z
      .enum(['added', 'removed', 'changed', 'undecodable'])
      .describe('`undecodable`: an event up to the later moment cannot be decoded, so that the state is not known.'),
    kind: z.enum(['listener', 'integrationTask', 'organisation', 'apiKey']),
    id: z.string().describe('Of the listener or the API key; of other objects the stream.'),
    before: facts.describe('Null where it did not exist.'),
    after: facts,
    fields: z.array(z.string()).describe('The names of the fields that differ; empty unless it was changed.'),
    changedAt: z.iso.datetime().nullable().describe('Of the last event up to the later moment.'),
    changedBy: z.string().nullable(),
    stream: z.string(),
    message: z.string().nullable().describe('Why an event cannot be decoded.'),
  })
  .meta({ id: 'AuditDifference' });

export const showDifferenceRoute = adminRoute({
  method: 'post',
  path: '/audit/difference',
  subject,
  summary: 'Compare an organisation at two times or positions',
  description:
    'Its listeners, its integration task, its settings and its API keys, read from the events. It changes nothing; it is a POST ' +
    'because a hook URL is a capability and must not appear in access logs.',
  body: {
    ...differenceRequest,
    limit: z.int().min(1).max(1_000).default(100).describe('Maximum number of streams with differences in a page.'),
    after: z.string().max(256).optional(),
  },
  bodyExample: { orgId: 'acme', from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
  answer: {
    schema: listOf(difference),
    example: {
      items: [
        {
          change: 'changed',
          kind: 'organisation',
          id: 'organisation-2f1d7a3c-0c1f-5d5e-8a55-0c8e0c9f5b11',
          before: { ordered: false, ratePerSecond: null },
          after: { ordered: true, ratePerSecond: null },
          fields: ['ordered'],
          changedAt: '2026-01-15T09:30:00.000Z',
          changedBy: 'admin:ops',
          stream: 'organisation-2f1d7a3c-0c1f-5d5e-8a55-0c8e0c9f5b11',
          message: null,
        },
      ],
      next: null,
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const auditContracts = [showHistoryRoute, showServiceHistoryRoute, showAsOfRoute, showDifferenceRoute];
