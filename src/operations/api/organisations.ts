import Router from '@koa/router';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/opaque-id.js';
import {
  changeOrganisationSettings,
  organisationSettings,
} from '../../registrations/organisations/change-organisation-settings.js';
import { deliveryOptions } from '../../registrations/organisations/organisation-settings.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type EraseOrganisation, eraseOrganisation } from '../erasure/erase-organisation.js';
import { type AdminRoutes, type AdminState, bodyOf, queryOf } from './context.js';

export type OrganisationRoutes = { readonly store: EventStore; readonly erasure: EraseOrganisation };

/**
 * `GET /organisations/settings?orgId=` shows what an organisation's new registrations get that say nothing of their own;
 * `POST /organisations/settings` changes what of it is named, and answers it with the types of the events in `changed`.
 * `POST /organisations/erase`, with the organisation in `orgId` and again in `confirm`, makes all that is kept of it go for
 * good; a repeat finishes what was cut short.
 */
export function organisationRoutes({ store, erasure }: OrganisationRoutes): AdminRoutes {
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

  router.post('/erase', async (ctx) => {
    const { orgId, confirm } = bodyOf(ctx, { orgId: opaqueId, confirm: opaqueId });
    if (confirm !== orgId) throw new InvalidRequest('confirm must name the organisation once more');
    const { cause } = ctx.state;
    ctx.body = await eraseOrganisation(erasure, orgId, { cause, now: new Date() });
  });

  return router;
}
