import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { deliveryOptions } from '../../../registrations/organisations/organisation-settings.js';
import { maxHooks } from '../../organisations/list-organisations.js';
import { adminRoute } from '../routing/admin-route.js';
import { limitParameter, listOf } from './lists.js';

const subject = 'Organisations';

export const showOrganisationSettingsRoute = adminRoute({
  method: 'get',
  path: '/organisations/settings',
  subject,
  summary: "Show the defaults of an organisation's new registrations",
  query: { orgId: opaqueId },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const changeOrganisationSettingsRoute = adminRoute({
  method: 'post',
  path: '/organisations/settings',
  subject,
  summary: "Change the defaults of an organisation's new registrations",
  body: { orgId: opaqueId, ...deliveryOptions },
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'operator', organisation: 'body' },
});

export const eraseOrganisationRoute = adminRoute({
  method: 'post',
  path: '/organisations/erase',
  subject,
  summary: 'Erase an organisation',
  description: 'Deletes all its data; a repeat completes an interrupted erasure.',
  body: { orgId: opaqueId, confirm: opaqueId },
  answer: { schema: z.unknown(), example: {} },
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
