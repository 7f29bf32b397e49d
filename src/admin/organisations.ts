import Router from '@koa/router';
import type { EventStore } from '../event-store/event-store.js';
import { opaqueId } from '../identity/opaque-id.js';
import { changeOrganisationSettings, organisationSettings } from '../organisations/change-organisation-settings.js';
import { deliveryOptions } from '../organisations/organisation-settings.js';
import { type AdminRoutes, type AdminState, bodyOf, queryOf } from './context.js';

export type OrganisationRoutes = { readonly store: EventStore };

/**
 * `GET /organisations/settings?orgId=` shows what an organisation's new registrations get that say nothing of their own;
 * `POST /organisations/settings` changes what of it is named, and answers it with the types of the events in `changed`.
 */
export function organisationRoutes({ store }: OrganisationRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>({ prefix: '/organisations' });

  router.get('/settings', async (ctx) => {
    const { orgId } = queryOf(ctx, { orgId: opaqueId });
    ctx.body = { orgId, ...(await organisationSettings(store, orgId)) };
  });

  router.post('/settings', async (ctx) => {
    const command = bodyOf(ctx, { orgId: opaqueId, ...deliveryOptions });
    const { cause } = ctx.state;
    const { state, events } = await changeOrganisationSettings(store, command, { cause, now: new Date() });
    ctx.body = { orgId: command.orgId, ...state, changed: events.map(({ type }) => type) };
  });

  return router;
}
