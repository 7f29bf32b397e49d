import Router from '@koa/router';
import { z } from 'zod';
import { apiKeyRequest } from '../../access/api-keys/contract.js';
import { apiKeySummary, changedApiKeySummary, listApiKeys } from '../../access/api-keys/list-api-keys.js';
import { endApiKey, issueApiKey } from '../../access/api-keys/operate-api-keys.js';
import { opaqueId } from '../../kernel/opaque-id.js';
import { parseInput } from '../../kernel/parse-input.js';
import { uuidParameter } from '../../kernel/uuid-parameter.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import {
  type AdminContext,
  type AdminRoutes,
  type AdminState,
  bodyOf,
  type List,
  limitParameter,
  queryOf,
} from './context.js';

export type ApiKeyRoutes = { readonly store: EventStore; readonly readModel: ReadModel };

const apiKeyId = uuidParameter('the ID of an API key must be a UUID');

/**
 * `GET /api-keys` lists API keys, of one organisation with `orgId`; `POST /api-keys` creates one, and its answer alone contains
 * the key, in `key`; `POST /api-keys/{id}/revoke` revokes one.
 */
export function apiKeyRoutes({ store, readModel }: ApiKeyRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();
  const contextOf = ({ state: { cause } }: AdminContext) => ({ cause, now: new Date() });

  router.get('/api-keys', async (ctx) => {
    const { orgId, ...page } = queryOf(ctx, {
      orgId: opaqueId.optional(),
      limit: limitParameter,
      after: z.string().max(256).optional(),
    });
    const { keys, next } = await listApiKeys(readModel, orgId, page);
    const now = new Date();
    ctx.body = { items: keys.map((key) => apiKeySummary(key, now)), next: next ?? null } satisfies List<unknown>;
  });

  router.post('/api-keys', async (ctx) => {
    const { key, text } = await issueApiKey(store, bodyOf(ctx, apiKeyRequest), contextOf(ctx));
    ctx.status = 201;
    ctx.body = { ...changedApiKeySummary(key, [{ type: 'ApiKeyCreated' }]), key: text };
  });

  router.post('/api-keys/:id/revoke', async (ctx) => {
    bodyOf(ctx, {});
    const { key, events } = await endApiKey(store, parseInput(apiKeyId, ctx.params.id), contextOf(ctx));
    ctx.body = changedApiKeySummary(key, events);
  });

  return router;
}
