import { z } from 'zod';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { deliveryOptions } from '../../../registrations/organisations/organisation-settings.js';
import { adminRoute } from '../routing/admin-route.js';

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

export const organisationContracts = [
  showOrganisationSettingsRoute,
  changeOrganisationSettingsRoute,
  eraseOrganisationRoute,
];
