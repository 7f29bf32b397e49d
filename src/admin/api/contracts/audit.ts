import { z } from 'zod';
import { difference } from '../../../audit/as-of.js';
import { auditEntry } from '../../../audit/audit-entry.js';
import { asOfRequest, differenceRequest, historyRequest, serviceHistoryRequest } from '../../../audit/contract.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import {
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  listOf,
  orgIdField,
  position,
  positionParameter,
} from './fields.js';

const listenerThenAnswer = z.looseObject({ stream: z.string(), revision: z.string(), changedAt: z.string() }).meta({
  id: 'ListenerThen',
  description: 'A listener at a past moment, with the last event up to then.',
});

/** Entry about a listener. */
export const auditEntryExample = {
  type: 'ListenerPaused',
  listenerId: exampleIds.listenerId,
  before: { state: 'active' },
  after: { state: 'paused' },
  reason: 'operator',
  clientId: null,
  eventType: null,
  eventId: exampleIds.storeEventId,
};

const route = adminRoutesOf('audit');
/** Each page reads all of the organisation's streams: a caller that reads a long history needs few pages. */
const page = { limit: z.int().min(1).max(10_000).default(100), after: position.optional() };
const pageOfStreams = { limit: z.int().min(1).max(1_000).default(100), after: z.string().max(256).optional() };

export const showHistoryRoute = route('showHistory', 'post', '/audit/history', {
  summary: "List every change to an organisation's listeners, in order",
  description:
    'It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.',
  body: { ...historyRequest, ...page, first: z.enum(['oldest', 'newest']).default('oldest'), orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, from: exampleTimes.before, to: exampleTimes.at },
  answer: listAnswer(auditEntry, auditEntryExample),
  access: { role: 'viewer', organisation: 'body' },
});

export const showServiceHistoryRoute = route('showServiceHistory', 'get', '/audit/service-history', {
  summary: 'List changes to clients, keys and event types, and erasures, in order',
  query: { ...serviceHistoryRequest, limit: limitParameter, after: positionParameter.optional() },
  answer: listAnswer(auditEntry, auditEntryExample),
  access: { role: 'viewer', organisation: 'service' },
});

export const showAsOfRoute = route('showAsOf', 'post', '/audit/as-of', {
  summary: "Show an organisation's listeners at a time or position",
  description:
    'It changes nothing; it is a POST because a hook URL is a capability and must not appear in access logs.',
  body: { ...asOfRequest, ...pageOfStreams, orgId: orgIdField },
  bodyExample: { orgId: exampleIds.orgId, at: exampleTimes.at },
  answer: listAnswer(listenerThenAnswer, { subscriptionType: 'flow.*', listenerId: exampleIds.listenerId }),
  access: { role: 'viewer', organisation: 'body' },
});

export const showDifferenceRoute = route('showDifference', 'post', '/audit/difference', {
  summary: 'Compare an organisation at two times or positions',
  description:
    'Its listeners, its integration task, its settings and its API keys, read from the events. It changes nothing; it is a POST ' +
    'because a hook URL is a capability and must not appear in access logs.',
  body: {
    ...differenceRequest,
    ...pageOfStreams,
    limit: pageOfStreams.limit.describe('Maximum number of streams with differences in a page.'),
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
          before: { ordered: false },
          after: { ordered: true },
          fields: ['ordered'],
          changedAt: exampleTimes.at,
          stream: 'organisation-2f1d7a3c-0c1f-5d5e-8a55-0c8e0c9f5b11',
        },
      ],
    },
  },
  access: { role: 'viewer', organisation: 'body' },
});

export const auditContracts = route.declared;
