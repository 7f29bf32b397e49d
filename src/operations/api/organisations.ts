import Router from '@koa/router';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
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
 * `GET /organisations/settings?orgId=` shows the defaults of an organisation's new registrations;
 * `POST /organisations/settings` changes the given ones, and answers all with the types of the appended events in `changed`.
 * `POST /organisations/erase`, with the organisation in `orgId` and again in `confirm`, deletes all its data; a repeat
 * completes an interrupted erasure.
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
    if (confirm !== orgId) throw new InvalidRequest('confirm must repeat the organisation');
    const { cause } = ctx.state;
    ctx.body = await eraseOrganisation(erasure, orgId, { cause, now: new Date() });
  });

  return router;
}
