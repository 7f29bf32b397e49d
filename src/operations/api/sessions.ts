import Router from '@koa/router';
import { z } from 'zod';
import { listSessionsRequest, revokeSessionsRequest } from '../../access/sessions/contract.js';
import { listSessions } from '../../access/sessions/find-sessions.js';
import { type RevokeSessionsDependencies, revokeSessions } from '../../access/sessions/revoke-sessions.js';
import { revokedSummary } from '../../access/sessions/session-summary.js';
import { type AdminRoutes, type AdminState, bodyOf, type List, limitParameter, queryOf } from './context.js';

export type SessionRoutes = RevokeSessionsDependencies;

const after = z.string().max(256).optional();

/**
 * `GET /sessions?orgId=&userId=&clientId=&state=` lists sessions. `POST /sessions/revoke`, with `sessionId` or one or more of
 * `orgId`, `userId` and `clientId`, revokes them, and answers those that it has revoked; `next` is the `after` of the next call.
 */
export function sessionRoutes(dependencies: SessionRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>({ prefix: '/sessions' });

  router.get('/', async (ctx) => {
    const { limit, after: last, ...filter } = queryOf(ctx, { ...listSessionsRequest, limit: limitParameter, after });
    const { sessions, next } = await listSessions(dependencies.readModel, filter, { limit, after: last });
    ctx.body = { items: sessions, next: next ?? null } satisfies List<unknown>;
  });

  router.post('/revoke', async (ctx) => {
    const { after: last, ...wanted } = bodyOf(ctx, { ...revokeSessionsRequest, after });
    const { cause } = ctx.state;
    const { sessions, next } = await revokeSessions(dependencies, wanted, { cause, now: new Date(), after: last });
    ctx.body = { items: sessions.map(revokedSummary), next: next ?? null } satisfies List<unknown>;
  });

  return router;
}
