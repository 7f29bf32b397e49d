import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { deliveryOptions } from '../../../registrations/organisations/organisation-settings.js';
import {
  changedOrganisationSettingsAnswer,
  erasedAnswer,
  organisationSettingsAnswer,
  settingsExample,
} from '../answers/organisation.js';
import { exampleIds } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { orgIdField } from './fields.js';

const subject = 'Organisations';

export const showOrganisationSettingsRoute = adminRoute({
  method: 'get',
  path: '/organisations/settings',
  subject,
  summary: "Show the defaults of an organisation's new registrations",
  query: { orgId: orgIdField },
  answer: { schema: organisationSettingsAnswer, example: settingsExample },
  errors: [],
  access: { role: 'viewer', organisation: 'query' },
});

export const changeOrganisationSettingsRoute = adminRoute({
  method: 'post',
  path: '/organisations/settings',
  subject,
  summary: "Change the defaults of an organisation's new registrations",
  description: 'Fields that are left out stay as they are. Existing registrations do not change.',
  body: { orgId: orgIdField, ...deliveryOptions },
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

export const organisationContracts = [
  showOrganisationSettingsRoute,
  changeOrganisationSettingsRoute,
  eraseOrganisationRoute,
];
