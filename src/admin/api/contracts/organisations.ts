import { z } from 'zod';
import { portalRoles } from '../../../events/portal-events.js';
import { opaqueId } from '../../../kernel/input/texts.js';
import { organisationSettingsRequest } from '../../../listeners/organisation-settings.js';
import { deliveryOptionsAnswer } from '../../../listeners/subscription.js';
import { erased } from '../../erasure/erase-organisation.js';
import { knownOrganisation } from '../../list-organisations.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { changed, exampleIds, limitParameter, listAnswer, orgIdField } from './fields.js';

const portalRoute = adminRoutesOf('portal');

const settings = {
  orgId: z.string(),
  ...deliveryOptionsAnswer,
  eventTypeCheck: z
    .enum(['off', 'warn', 'refuse'])
    .describe('The treatment of flow events that do not match their declared type.'),
};

const organisationSettingsAnswer = z.strictObject(settings).meta({
  id: 'OrganisationSettings',
  description: "The defaults of an organisation's new listeners, and the check of its flow events.",
});

const changedOrganisationSettingsAnswer = z
  .strictObject({ ...settings, changed })
  .meta({ id: 'ChangedOrganisationSettings' });

const route = adminRoutesOf('organisations');

export const showOrganisationSettingsRoute = route('showOrganisationSettings', 'get', '/organisations/settings', {
  summary: 'Show the settings of an organisation',
  query: { orgId: orgIdField },
  answer: { schema: organisationSettingsAnswer },
  access: { role: 'viewer', organisation: 'query' },
});

export const changeOrganisationSettingsRoute = route('changeOrganisationSettings', 'post', '/organisations/settings', {
  summary: 'Change the settings of an organisation',
  description: 'Fields that are left out stay as they are. Existing listeners do not change.',
  body: { orgId: orgIdField, ...organisationSettingsRequest },
  bodyExample: { orgId: exampleIds.orgId, ratePerSecond: 20 },
  answer: {
    schema: changedOrganisationSettingsAnswer,
    example: { changed: ['OrganisationSettingsChanged'] },
  },
  access: { role: 'operator', organisation: 'body' },
});

export const eraseOrganisationRoute = route('eraseOrganisation', 'post', '/organisations/erase', {
  summary: 'Erase an organisation',
  description:
    'Deletes all its data: listeners, deliveries, sessions, API keys, portal links and their sessions, replays and flow events. It cannot ' +
    'be undone. A repeat completes an interrupted erasure.',
  body: { orgId: orgIdField, confirm: opaqueId.describe('The same ID again.') },
  bodyExample: { orgId: exampleIds.orgId, confirm: exampleIds.orgId },
  answer: {
    schema: erased,
    example: { organisation: 'Yk1wqk2LkPzZ', streams: 12, flowStreams: 40 },
  },
  access: { role: 'owner', organisation: 'service' },
});

export const listOrganisationsRoute = route('listOrganisations', 'get', '/organisations', {
  summary: 'List the organisations',
  description:
    'Organisations with at least one listener, session, consent, task, setting or API key, now or in the past, in the order of their IDs. ' +
    'One that only publishes flow events is not listed.',
  query: {
    prefix: opaqueId.optional().describe('Only organisations whose ID begins with this.'),
    limit: limitParameter,
    after: opaqueId.optional(),
  },
  answer: listAnswer(knownOrganisation),
  access: { role: 'viewer', organisation: 'service' },
});

const wholeSeconds = { error: 'must be a whole number of seconds from 10 to 86400' };
const wholeMinutes = { error: 'must be a whole number of minutes from 1 to 720' };

export const createPortalLinkRoute = portalRoute('createPortalLink', 'post', '/portal-links', {
  summary: 'Make a link to the portal of an organisation',
  description:
    "A company's back end requests a link for a user whom it has signed in, and opens it in a frame or a tab. Until it expires, the " +
    'link opens one session: treat it as a password. `user` names the user in the history; without it the organisation is named.',
  body: {
    orgId: opaqueId,
    role: z
      .enum(portalRoles, { error: `must be ${portalRoles.join(' or ')}` })
      .default('operator')
      .describe('A viewer reads; an operator also changes listeners and publishes flow events.'),
    user: opaqueId.optional().describe('The ID of the user in the company, for the history: `portal:<user>`.'),
    expiresInSeconds: z.int(wholeSeconds).min(10, wholeSeconds).max(86_400, wholeSeconds).default(600),
    sessionMinutes: z.int(wholeMinutes).min(1, wholeMinutes).max(720, wholeMinutes).default(60),
  },
  bodyExample: { orgId: 'acme', user: 'ada', role: 'operator' },
  answer: {
    status: 201,
    description: 'The link.',
    schema: z.strictObject({
      url: z.url().describe('Absolute, with a token in its query: no log of the service contains it.'),
      expiresAt: z.iso.datetime().describe('The link can be opened until then; ISO 8601.'),
    }),
    example: { url: 'https://hooks.example.com/portal/open?token=eyJhbGciOiJkaXIifQ' },
  },
  // Refused in a session of the portal, which could otherwise renew its own access forever.
  access: { role: 'operator', organisation: 'service' },
});

export const organisationContracts = [...route.declared, ...portalRoute.declared];
