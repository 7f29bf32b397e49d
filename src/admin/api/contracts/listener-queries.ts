import { z } from 'zod';
import { auditEntry } from '../../../audit/audit-entry.js';
import { timestamp } from '../../../kernel/input/times.js';
import { normalisedHookUrl } from '../../../listeners/hook-url.js';
import { deliveryOptionsRequest, subscriptionExample } from '../../../listeners/subscription.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { auditEntryExample } from './audit.js';
import { lastFailure } from './delivery.js';
import {
  afterParameter,
  exampleIds,
  exampleTimes,
  limitParameter,
  listAnswer,
  listenerIdInPath,
  listOf,
  orgIdField,
  positionParameter,
  positionText,
  time,
  timeOrNull,
} from './fields.js';
import { changedListenerAnswer, listenerAnswer } from './listeners.js';

const { state: _, pausedBy, since: __, registeredAt: ____, ...details } = listenerAnswer.shape;

const listenerHealth = z
  .strictObject({
    breaker: z.enum(['closed', 'open', 'probing']),
    openUntil: timeOrNull.describe('The circuit breaker is open and keeps deliveries back until then.'),
    failingSince: timeOrNull.describe('Every attempt since then has failed.'),
    failures: z.int().nonnegative().describe('Number of failed attempts since then.'),
    pacePerSecond: z
      .number()
      .nullable()
      .describe('The rate that the listener accepts, found by its answers 429 and 503.'),
    notBefore: timeOrNull.describe('The listener has asked for no attempts until then (Retry-After).'),
    lastFailure: lastFailure.nullable().describe('Null if the last attempt succeeded.'),
    nextAttemptAt: timeOrNull.describe('Earliest time of the next attempt; null if no delivery waits.'),
  })
  .meta({ id: 'ListenerHealth', description: 'The results of recent attempts.' });

const foundListenerAnswer = z
  .strictObject({
    ...details,
    status: z
      .enum(['active', 'failing', 'paused', 'paused-failing', 'replaced', 'ended'])
      .describe('`failing`: active, and failures were recorded; `paused-failing`: paused by the service for them.'),
    since: time.describe('The time of the last change of its state or subscription.'),
    health: listenerHealth,
  })
  .meta({ id: 'FoundListener', description: 'A listener that a search has found.' });

const listenerDetailAnswer = z
  .strictObject({
    ...details,
    state: z.enum(['active', 'paused', 'ended']),
    pausedBy,
    since: time.describe('The time of the last change of its state or subscription; of an ended listener, of its end.'),
    endReason: z
      .string()
      .nullable()
      .describe(
        '`requested` by the platform or the agent, `gone` (410), by an `operator` or a customer, `expired` or `access-revoked` of an agent, or `erased` with its organisation.',
      ),
    replacedBy: z
      .uuid()
      .nullable()
      .describe('The ID of the latest listener at the same hook URL, if one was registered after this one.'),
    firstRegisteredAt: time.describe('The time at which the URL was first registered for the organisation.'),
    health: listenerHealth,
    held: z.int().nonnegative().describe('Number of held deliveries, counted up to 1,000.'),
    waiting: z.int().nonnegative().describe('Number of waiting deliveries.'),
  })
  .meta({ id: 'ListenerDetail', description: 'A listener, current or ended.' });

const listenerAsOfAnswer = z
  .strictObject({
    at: time,
    state: z
      .enum(['none', 'active', 'paused', 'ended'])
      .describe('`none`: not registered before this time. `ended`: unsubscribed before this time.'),
    details: z
      .strictObject(details)
      .nullable()
      .describe('The listener then: another one if another listener at the hook URL was current.'),
    change: z
      .strictObject({ type: z.string(), at: time, revision: positionText })
      .nullable()
      .describe('The last change until then.'),
    previousAt: timeOrNull.describe('The time of the last change before the instant.'),
    nextAt: timeOrNull.describe('The time of the first change after the instant.'),
  })
  .meta({ id: 'ListenerAsOf', description: 'A listener at an instant.' });

const route = adminRoutesOf('listeners');
const params = { listenerId: listenerIdInPath };

export const listenerSearchStates = ['active', 'troubled', 'paused', 'paused-failing', 'ended'] as const;

const aLimit = { error: 'must be a whole number from 1 to 200' };

export const searchListenersRoute = route('searchListeners', 'post', '/listeners/search', {
  summary: 'Search listeners',
  description:
    'Current listeners of all organisations or one, the latest registered first; in the state `ended`, removed ones. `troubled`: deliveries ' +
    'to them fail or wait. For a part of a URL, a limited number of listeners is examined for each page (`searched`): a page may be ' +
    'empty and have a next one. It is a POST because the hook URL is a capability and must not appear in access logs.',
  body: {
    orgId: orgIdField.optional(),
    hookUrl: z
      .string()
      .transform((text) => normalisedHookUrl(text))
      .optional()
      .meta({ description: 'The whole URL.' }),
    urlPart: z.string().min(1).max(256).optional().meta({ description: 'A part of the URL, in either case.' }),
    state: z.enum(listenerSearchStates).optional(),
    limit: z.int(aLimit).min(1, aLimit).max(200, aLimit).default(50),
    after: afterParameter,
  },
  bodyExample: { orgId: exampleIds.orgId, state: 'active' },
  answer: {
    schema: z.strictObject({
      ...listOf(foundListenerAnswer).shape,
      searched: z.int().nonnegative().describe('Number of listeners that were examined for this page.'),
    }),
    example: { items: [subscriptionExample], searched: 1 },
  },
  access: { role: 'viewer', organisation: 'body' },
});

export const showListenerRoute = route('showListener', 'get', '/listeners/:listenerId', {
  summary: 'Show a listener',
  description: 'Current or ended. It reflects every change that has been answered.',
  params,
  answer: { schema: listenerDetailAnswer, example: subscriptionExample },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const showListenerTimelineRoute = route('showListenerTimeline', 'get', '/listeners/:listenerId/timeline', {
  summary: 'List the changes of a listener',
  description: 'The latest first, of all listeners of its URL in the organisation, read from the events.',
  params,
  query: { limit: limitParameter, after: positionParameter.optional() },
  answer: listAnswer(auditEntry, auditEntryExample),
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const showListenerAsOfRoute = route('showListenerAsOf', 'post', '/listeners/:listenerId/as-of', {
  summary: 'Show a listener at an instant',
  description: 'The listener of its URL at that time, read from the events. It changes nothing.',
  params,
  body: { at: timestamp.transform((text) => new Date(text)) },
  bodyExample: { at: exampleTimes.at },
  answer: {
    schema: listenerAsOfAnswer,
    example: { state: 'active', details: subscriptionExample, change: { type: 'ListenerSubscribed' } },
  },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const changeListenerOptionsRoute = route('changeListenerOptions', 'post', '/listeners/:listenerId/options', {
  summary: 'Change order and rate of a listener',
  description: 'A field that is left out stays unchanged. The listener stays active or paused.',
  params,
  body: deliveryOptionsRequest,
  bodyExample: { ordered: true, ratePerSecond: 5 },
  answer: {
    schema: changedListenerAnswer,
    example: {
      ...subscriptionExample,
      ordered: true,
      ratePerSecond: 5,
      changed: ['ListenerSubscriptionChanged'],
    },
  },
  errors: ['not_found'],
  access: { role: 'operator', action: 'options', organisation: 'of-object' },
});

export const listenerQueryContracts = route.declared;
