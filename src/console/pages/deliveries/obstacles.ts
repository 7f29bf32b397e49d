import { searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import type { PageRequest } from '../../../site/page-request.js';
import { eachPage } from '../each-page.js';

/** Reason for which a listener gets no delivery that becomes due: it is paused, or its circuit is open. */
export type Obstacle = 'paused' | 'circuit';

/** Maximum number of pages of listeners in each state; beyond them, listeners count as without an obstacle. */
const maxPages = 5;
const pageSize = 200;

/** The listeners of an organisation to which nothing is sent now, by their IDs. */
export async function findObstacles(at: PageRequest, orgId: string): Promise<ReadonlyMap<string, Obstacle>> {
  const found = await Promise.all(
    (['paused', 'paused-failing', 'troubled'] as const).map(async (state) => {
      const listeners: (readonly [string, Obstacle])[] = [];
      const body = { orgId, state, limit: pageSize };
      const pages = eachPage((after) => at.call(searchListenersRoute, { body: { ...body, after } }), maxPages);
      for await (const { items } of pages) {
        for (const { listenerId, status, health } of items) {
          if (status === 'paused' || status === 'paused-failing') listeners.push([listenerId, 'paused']);
          else if (health.breaker !== 'closed') listeners.push([listenerId, 'circuit']);
        }
      }
      return listeners;
    }),
  );
  return new Map(found.flat());
}
