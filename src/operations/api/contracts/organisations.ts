import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { organisationSettingsRequest } from '../../../registrations/organisations/organisation-settings.js';
import { maxHooks } from '../../organisations/list-organisations.js';
import {
  changedOrganisationSettingsAnswer,
  erasedAnswer,
  organisationSettingsAnswer,
  settingsExample,
} from '../answers/organisation.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf, orgIdField } from './fields.js';

const subject = 'Organisations';

export const showOrganisationSettingsRoute = adminRoute({
  method: 'get',
  path: '/organisations/settings',
  subject,
  summary: 'Show the settings of an organisation',
  query: { orgId: orgIdField },
  answer: { schema: organisationSettingsAnswer, example: settingsExample },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const changeOrganisationSettingsRoute = adminRoute({
  method: 'post',
  path: '/organisations/settings',
  subject,
  summary: 'Change the settings of an organisation',
  description: 'Fields that are left out stay as they are. Existing registrations do not change.',
  body: { orgId: orgIdField, ...organisationSettingsRequest },
  bodyExample: { orgId: exampleIds.orgId, ratePerSecond: 20 },
  answer: {
    schema: changedOrganisationSettingsAnswer,
    example: { ...settingsExample, changed: ['OrganisationSettingsChanged'] },
  },
  errors: [],
  access: { role: 'operator', organisation: 'body' },
});

export const eraseOrganisationRoute = adminRoute({
  method: 'post',
  path: '/organisations/erase',
  subject,
  summary: 'Erase an organisation',
  description:
    'Deletes all its data: hooks, deliveries, sessions, API keys, replays and flow events. It cannot be undone. A repeat completes an ' +
    'interrupted erasure.',
  body: { orgId: orgIdField, confirm: opaqueId.describe('The same ID again.') },
  bodyExample: { orgId: exampleIds.orgId, confirm: exampleIds.orgId },
  answer: {
    schema: erasedAnswer,
    example: { organisation: 'Yk1wqk2LkPzZ', streams: 12, flowStreams: 40, elsewhere: [] },
  },
  errors: [],
  access: { role: 'owner', organisation: 'service' },
});

export const listOrganisationsRoute = adminRoute({
  method: 'get',
  path: '/organisations',
  subject,
  summary: 'List the organisations',
  description:
    'Organisations with at least one hook, session, consent, task, setting or API key, now or in the past, in the order of their IDs. ' +
    'One that only publishes flow events is not listed.',
  query: {
    prefix: opaqueId.optional().describe('Only organisations whose ID begins with this.'),
    limit: limitParameter,
    after: opaqueId.optional(),
  },
  answer: {
    schema: listOf(
      z
        .strictObject({
          orgId: z.string(),
          hooks: z.int().describe(`Active and paused hooks, counted up to ${maxHooks}.`),
        })
        .meta({ id: 'Organisation' }),
    ),
    example: { items: [{ orgId: 'acme', hooks: 12 }], next: null },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const organisationContracts = [
  listOrganisationsRoute,
  showOrganisationSettingsRoute,
  changeOrganisationSettingsRoute,
  eraseOrganisationRoute,
];
