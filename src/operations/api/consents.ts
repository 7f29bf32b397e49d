import Router from '@koa/router';
import { endConsent } from '../../access/consents/consents.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { uuidParameter } from '../../kernel/input/uuid-parameter.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { findConsents } from '../audit/find-consents.js';
import { indexedStreams } from '../audit/organisation-streams.js';
import { type AdminRoutes, type AdminState, bodyOf, limitParameter, pageOf, queryOf } from './context.js';

export type ConsentRoutes = { readonly store: EventStore; readonly readModel: ReadModel };

const consentId = uuidParameter('must be the ID of a consent');

/**
 * `GET /consents?orgId=` lists the consents in an organisation, with `userId` those of one user; `POST /consents/{id}/withdraw`
 * ends one, so that the user is asked again at the next sign-in.
 */
export function consentRoutes({ store, readModel }: ConsentRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();
  const findStreams = indexedStreams(store, readModel);

  router.get('/consents', async (ctx) => {
    const { limit, after, ...query } = queryOf(ctx, {
      orgId: opaqueId,
      userId: opaqueId.optional(),
      limit: limitParameter,
      after: consentId.optional(),
    });
    const consents = await findConsents(store, findStreams, query, { limit, after });
    ctx.body = pageOf(consents, { limit, after: (last) => last.consentId });
  });

  router.post('/consents/:id/withdraw', async (ctx) => {
    bodyOf(ctx, {});
    const { cause } = ctx.state;
    const { state, events } = await endConsent(store, parseInput(consentId, ctx.params.id), { cause, now: new Date() });
    ctx.body = { ...state, changed: events.map(({ type }) => type) };
  });

  return router;
}
