import { listSessions } from '../../access/sessions/find-sessions.js';
import { type RevokeSessionsDependencies, revokeSessions } from '../../access/sessions/revoke-sessions.js';
import { revokedSummary } from '../../access/sessions/session-summary.js';
import { listSessionsRoute, revokeSessionsRoute } from './contracts/sessions.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type SessionRoutes = RevokeSessionsDependencies;

export const sessionRoutes = (dependencies: SessionRoutes): readonly BoundRoute[] => [
  handle(listSessionsRoute, async ({ query: { limit, after, ...filter } }) => {
    const { sessions, next } = await listSessions(dependencies.readModel, filter, { limit, after });
    return { items: sessions, next: next ?? null };
  }),

  handle(revokeSessionsRoute, async ({ body: { after, ...wanted } }, context) => {
    const { sessions, next } = await revokeSessions(dependencies, wanted, { ...context, after });
    return { items: sessions.map(revokedSummary), next: next ?? null };
  }),
];
