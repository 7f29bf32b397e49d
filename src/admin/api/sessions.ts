import { endConsent, findConsent } from '../../access/consents/consent.js';
import { ConsentNotFound } from '../../access/errors.js';
import {
  listSessions,
  type RevokeSessionsDependencies,
  revokedSummary,
  revokeSessions,
} from '../../access/sessions/sessions.js';
import { findConsents } from '../../audit/find-consents.js';
import { indexedStreams } from '../../audit/find-streams.js';
import { boundedPage, readAtOnce } from '../../kernel/bounded-page.js';
import type { PageRequest } from '../../kernel/pages.js';
import { listOfPage } from './contracts/fields.js';
import {
  listConsentsRoute,
  listSessionsRoute,
  revokeSessionsRoute,
  withdrawConsentRoute,
} from './contracts/sessions.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

export const sessionRoutes = (dependencies: RevokeSessionsDependencies): readonly BoundRoute[] => [
  handle(listSessionsRoute, async ({ query: { limit, after, ...filter } }) => {
    const { sessions, next } = await listSessions(dependencies.readModel, filter, { limit, after });
    return { items: sessions, next: next ?? null };
  }),

  handle(revokeSessionsRoute, async ({ body: { after, ...selection } }, context) => {
    const { sessions, next } = await revokeSessions(dependencies, selection, { ...context, after });
    return { items: sessions.map(revokedSummary), next: next ?? null };
  }),
];

export function consentRoutes({ store, readModel }: RouteStores): readonly BoundRoute[] {
  const findStreams = indexedStreams(store, readModel);

  return [
    handle(listConsentsRoute, async ({ query: { limit, after, ...query } }) => {
      const find = (page: PageRequest<string>) => findConsents(store, findStreams, query, page);
      return listOfPage(
        await boundedPage(
          { limit, after },
          readAtOnce(find, ({ consentId }) => consentId),
        ),
      );
    }),

    handle(
      withdrawConsentRoute,
      async ({ params: { id } }, context) => {
        const { state, events } = await endConsent(store, id, context);
        if (state.state === 'none') throw new ConsentNotFound(id);
        return { ...state, changed: events.map(({ type }) => type) };
      },
      {
        async of({ params: { id } }) {
          const consent = await findConsent(store, id);
          return consent.state === 'none' ? undefined : consent.orgId;
        },
        missing: ({ params: { id } }) => new ConsentNotFound(id),
      },
    ),
  ];
}
