import { listListeners } from '../../registrations/listeners/queries/find.js';
import { listenerSummary } from '../../registrations/listeners/queries/listener-summary.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { listListenersRoute } from './contracts/listeners.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type ListenerRoutes = { readonly readModel: ReadModel };

export const listenerRoutes = ({ readModel }: ListenerRoutes): readonly BoundRoute[] => [
  handle(listListenersRoute, async ({ query: { orgId, ...page } }) => {
    const { listeners, next } = await listListeners(readModel, orgId, page);
    return { items: listeners.map(listenerSummary), next: next ?? null };
  }),
];
