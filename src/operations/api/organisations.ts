import { InvalidRequest } from '../../kernel/domain-error.js';
import {
  changeOrganisationSettings,
  organisationSettings,
} from '../../registrations/organisations/change-organisation-settings.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { type EraseOrganisation, eraseOrganisation } from '../erasure/erase-organisation.js';
import { listOrganisations } from '../organisations/list-organisations.js';
import { pageOf } from './contracts/fields.js';
import {
  changeOrganisationSettingsRoute,
  eraseOrganisationRoute,
  listOrganisationsRoute,
  showOrganisationSettingsRoute,
} from './contracts/organisations.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type OrganisationRoutes = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly erasure: EraseOrganisation;
};

export const organisationRoutes = ({ store, readModel, erasure }: OrganisationRoutes): readonly BoundRoute[] => [
  handle(listOrganisationsRoute, async ({ query }) =>
    pageOf(await listOrganisations(readModel, query), { limit: query.limit, after: ({ orgId }) => orgId }),
  ),

  handle(showOrganisationSettingsRoute, async ({ query: { orgId } }) => ({
    orgId,
    ...(await organisationSettings(store, orgId)),
  })),

  handle(changeOrganisationSettingsRoute, async ({ body }, context) => {
    const { state, events } = await changeOrganisationSettings(store, body, context);
    return { orgId: body.orgId, ...state, changed: events.map(({ type }) => type) };
  }),

  handle(eraseOrganisationRoute, async ({ body: { orgId, confirm } }, context) => {
    if (confirm !== orgId) throw new InvalidRequest('confirm must repeat the organisation');
    return eraseOrganisation(erasure, orgId, context);
  }),
];
