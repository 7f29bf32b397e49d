import { z } from 'zod';
import { timestamp } from '../../../flows/contract.js';
import { normalisedHookUrl } from '../../../listeners/hook-url.js';
import { deliveryOptions } from '../../../listeners/organisations/organisation-settings.js';
import { auditEntryAnswer, auditEntryExample } from '../answers/audit.js';
import { changedListenerAnswer, changedListenerExample } from '../answers/listener.js';
import {
  foundListenerAnswer,
  foundListenerExample,
  listenerAsOfAnswer,
  listenerAsOfExample,
  listenerDetailAnswer,
  listenerDetailExample,
} from '../answers/listener-detail.js';
import { exampleIds, exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { afterParameter, limitParameter, listenerIdInPath, listOf, orgIdField, positionParameter } from './fields.js';

const subject = 'listeners';
const params = { listenerId: listenerIdInPath };

export const listenerSearchStates = ['active', 'troubled', 'paused', 'paused-failing', 'ended'] as const;

const aLimit = { error: 'must be a whole number from 1 to 200' };

export const searchListenersRoute = adminRoute({
  method: 'post',
  path: '/listeners/search',
  subject,
  summary: 'Search listeners',
  description:
    'Current listeners of all organisations or one, the latest registered first; in the state `ended`, removed ones. `troubled`: deliveries ' +
    'to it do not get through. For a part of a URL, a limited number of listeners is examined for each page (`searched`): a page may be ' +
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
    example: { items: [foundListenerExample], next: null, searched: 1 },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'body' },
});

export const showListenerRoute = adminRoute({
  method: 'get',
  path: '/listeners/:listenerId',
  subject,
  summary: 'Show a listener',
  description: 'Also one that has ended. It reflects every change that has been answered.',
  params,
  answer: { schema: listenerDetailAnswer, example: listenerDetailExample },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const showListenerTimelineRoute = adminRoute({
  method: 'get',
  path: '/listeners/:listenerId/timeline',
  subject,
  summary: 'List the changes of a listener',
  description: 'The latest first, of all listeners of its URL in the organisation, read from the events.',
  params,
  query: { limit: limitParameter, after: positionParameter.optional() },
  answer: { schema: listOf(auditEntryAnswer), example: { items: [auditEntryExample], next: null } },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const showListenerAsOfRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/as-of',
  subject,
  summary: 'Show a listener at an instant',
  description: 'What was registered at its URL then, read from the events. It changes nothing.',
  params,
  body: { at: timestamp.transform((text) => new Date(text)) },
  bodyExample: { at: exampleTimes.at },
  answer: { schema: listenerAsOfAnswer, example: listenerAsOfExample },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'of-object' },
});

export const changeListenerOptionsRoute = adminRoute({
  method: 'post',
  path: '/listeners/:listenerId/options',
  subject,
  summary: 'Change order and rate of a listener',
  description: 'A field that is left out stays unchanged. The listener stays active or paused.',
  params,
  body: deliveryOptions,
  bodyExample: { ordered: true, ratePerSecond: 5 },
  answer: {
    schema: changedListenerAnswer,
    example: {
      ...changedListenerExample,
      ordered: true,
      ratePerSecond: 5,
      state: 'active',
      changed: ['ListenerOptionsChanged'],
    },
  },
  errors: ['not_found'],
  access: { role: 'operator', organisation: 'of-object' },
});

export const listenerQueryContracts = [
  searchListenersRoute,
  showListenerRoute,
  showListenerTimelineRoute,
  showListenerAsOfRoute,
  changeListenerOptionsRoute,
];
