import Router from '@koa/router';
import { z } from 'zod';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { registeredAsOf } from '../audit/as-of.js';
import { asOfRequest, historyRequest, serviceHistoryRequest } from '../audit/contract.js';
import { auditHistory } from '../audit/history.js';
import { indexedStreams } from '../audit/organisation-streams.js';
import { serviceHistory } from '../audit/service-history.js';
import {
  type AdminRoutes,
  type AdminState,
  bodyOf,
  type List,
  limitParameter,
  pageOf,
  queryOf,
  wholeNumber,
} from './context.js';

export type AuditRoutes = { readonly store: EventStore; readonly readModel: ReadModel };

const page = { limit: z.int().min(1).max(1_000).default(100), after: wholeNumber.optional() };

/**
 * `POST /audit/history`: every change to an organisation's registrations, in order; `POST /audit/as-of`: its registrations
 * at a time or position. They are POSTs because a hook's URL is a capability and must not appear in access logs.
 * `GET /audit/service-history`: every change to the service's clients and keys.
 */
export function auditRoutes({ store, readModel }: AuditRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();
  const findStreams = indexedStreams(store, readModel);

  router.post('/audit/history', async (ctx) => {
    const { limit, after, ...query } = bodyOf(ctx, { ...historyRequest, ...page });
    const entries = await auditHistory(store, findStreams, query, { limit, after });
    ctx.body = pageOf(entries, { limit, after: (last) => last.position });
  });

  router.get('/audit/service-history', async (ctx) => {
    const { limit, after, ...query } = queryOf(ctx, {
      ...serviceHistoryRequest,
      limit: limitParameter,
      after: wholeNumber.optional(),
    });
    const entries = await serviceHistory(store, query, { limit, after });
    ctx.body = pageOf(entries, { limit, after: (last) => last.position });
  });

  router.post('/audit/as-of', async (ctx) => {
    const { at, ...query } = bodyOf(ctx, asOfRequest);
    const items = await registeredAsOf(store, findStreams, query, at);
    ctx.body = { items, next: null } satisfies List<unknown>;
  });

  return router;
}
