import { findReplay, listReplays, replaySummary } from '../replays/find-replays.js';
import { beginReplay, endReplay, type OperateReplays } from '../replays/operate-replays.js';
import { ReplayNotFound } from '../replays/replay.js';
import { cancelReplayRoute, listReplaysRoute, showReplayRoute, startReplayRoute } from './contracts/replays.js';
import { type BoundRoute, handle, type Owner, type RouteStores } from './routing/admin-route.js';
import { orNotFound } from './routing/listener-owner.js';

type ReplayRoutes = RouteStores & { operations: Pick<OperateReplays, 'findListener'> };

export function replayRoutes({ store, queue, readModel, operations }: ReplayRoutes): readonly BoundRoute[] {
  const operate: OperateReplays = { store, queue, findListener: operations.findListener };
  const owner: Owner<{ params: { id: string } }> = {
    of: async ({ params: { id } }) => (await findReplay(store, id)).orgId,
    missing: ({ params: { id } }) => new ReplayNotFound(id),
  };

  return [
    handle(startReplayRoute, async ({ body }, context) => {
      const { replayId } = await orNotFound(
        () => beginReplay(operate, body, context),
        'no active listener has this ID',
      );
      return replaySummary(await findReplay(store, replayId));
    }),

    handle(listReplaysRoute, async ({ query }) => {
      const { replays, next } = await listReplays(readModel, query);
      return { items: replays.map(replaySummary), next: next ?? null };
    }),

    handle(showReplayRoute, async ({ params: { id } }) => replaySummary(await findReplay(store, id)), owner),

    handle(
      cancelReplayRoute,
      async ({ params: { id } }, context) => {
        const { cancelled } = await endReplay(operate, id, context);
        return { ...replaySummary(await findReplay(store, id)), cancelled };
      },
      owner,
    ),
  ];
}
