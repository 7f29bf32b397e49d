import { shownPayloadOf } from '../../flows/flow-event.js';
import { Forbidden } from '../../http/errors.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { filterText } from '../../listeners/filters/filter.js';
import {
  IntegrationTaskInactive,
  IntegrationTaskMissing,
  requireActiveTask,
} from '../../listeners/integration-task.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { feedCursors } from '../feed/cursor.js';
import { eventFeed, type FeedDependencies } from '../feed/feed.js';
import type { FeedItem } from '../feed/page.js';
import { readFeedRoute } from './contracts/feed.js';
import { type BoundRoute, handle, limitOf } from './routing/admin-route.js';

export function feedRoutes(dependencies: FeedDependencies): readonly BoundRoute[] {
  const { store, masterKeys } = dependencies;
  const read = eventFeed(dependencies);
  return [
    handle(readFeedRoute, async ({ query }, { caller }) => {
      const { orgId, after, type = null, filter, limit, wait } = query;
      const requireEnabled = () => (limitOf(caller) === null ? undefined : requireEnabledOrganisation(store, orgId));
      await requireEnabled();
      const page = await read({
        orgId,
        after,
        type,
        filter: filterIn(filter),
        limit,
        waitSeconds: wait,
        gone: caller.gone,
      });
      await requireEnabled(); // it may have been disabled meanwhile
      const cursors = feedCursors(masterKeys, orgId);
      const items = page.items.map((item) => ({ ...shown(item), cursor: cursors.write(item.place) }));
      return { items, next: cursors.write(page.place), more: page.more };
    }),
  ];
}

type Shown<Item> = Item extends unknown ? Omit<Item, 'cursor'> : never;

function shown(item: FeedItem): Shown<RouteAnswer<typeof readFeedRoute>['items'][number]> {
  if (item.kind === 'gap') return { kind: 'gap', reason: item.reason, upTo: `${item.upTo}`, events: item.events };
  const { position, event } = item;
  const { eventId: storeEventId, recordedAt } = event;
  return { kind: 'event', position: `${position}`, storeEventId, recordedAt, event: shownPayloadOf(event) };
}

/** Throws `InvalidRequest`. */
function filterIn(text: string | undefined) {
  if (text === undefined) return null;
  try {
    return filterText(JSON.parse(text));
  } catch (error) {
    throw error instanceof SyntaxError ? new InvalidRequest('filter: must be JSON') : error;
  }
}

/** Throws `Forbidden`: platforms get 500 for it, by the specification of their routes. */
async function requireEnabledOrganisation(store: EventStore, orgId: string): Promise<void> {
  try {
    await requireActiveTask(store, orgId);
  } catch (error) {
    if (!(error instanceof IntegrationTaskMissing || error instanceof IntegrationTaskInactive)) throw error;
    throw new Forbidden(error.message);
  }
}
