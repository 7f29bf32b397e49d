import { listListenersRoute } from '../../../admin/api/contracts/listeners.js';
import { Id } from '../../../site/components/card.js';
import { ListenerLink } from '../../../site/components/shown.js';
import type { Columns } from '../../../site/components/table.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { DeliveryOrder } from './delivery-filter.js';
import { answerText, DeliveryStateText, type ListedDelivery } from './delivery-state.js';

export const deliveryHref = (at: PageRequest, { id, orgId }: Pick<ListedDelivery, 'id' | 'orgId'>): string =>
  at.url(`/deliveries/${encodeURIComponent(id)}`, { orgId: at.caller.orgId === null ? orgId : undefined });

export const flowEventHref = (at: PageRequest, { eventId, orgId }: Pick<ListedDelivery, 'eventId' | 'orgId'>): string =>
  at.url('/flow-events/show', { orgId: at.caller.orgId === null ? orgId : undefined, id: eventId });

/** Descriptions and shortened URLs of listeners, by listener ID; of other listeners the ID is shown. */
export type HookUrls = ReadonlyMap<string, string>;

const maxHookUrls = 100;
const maxPathLength = 20;

/** Description or at most half of the path, and host: the whole URL permits posting to the listener. */
function nameOf({ hookUrl, description }: { hookUrl: string; description: string | null }): string {
  const { host, pathname, search } = new URL(hookUrl);
  if (description) return `${description}, ${host}`;
  const path = `${pathname}${search}`;
  return `${host}${path.slice(0, Math.min(maxPathLength, Math.floor(path.length / 2)))}…`;
}

/** Only some URLs of an organisation with more listeners: one page is read. */
export async function hookUrlsOf(at: PageRequest, orgId: string): Promise<HookUrls> {
  const { items } = await at.call(listListenersRoute, { query: { orgId, limit: String(maxHookUrls) } });
  return new Map(items.map((listener) => [listener.listenerId, nameOf(listener)]));
}

/** Props of a table of deliveries. */
export const deliveryTable = (at: PageRequest, hookUrls: HookUrls, order?: DeliveryOrder) => ({
  caption: `Deliveries, those of the latest ${order ? 'attempts' : 'flow events'} first`,
  keyOf: ({ id }: ListedDelivery) => id,
  columns: {
    Type: (each) => <a href={deliveryHref(at, each)}>{each.eventType}</a>,
    State: (each) => <DeliveryStateText delivery={each} />,
    Listener: {
      show: ({ listenerId }) => <ListenerLink listenerId={listenerId} name={hookUrls.get(listenerId)} />,
      wide: true,
    },
    'Flow event': (each) => <Id value={each.eventId} href={flowEventHref(at, each)} />,
    Attempts: 'attempts',
    Answer: answerText,
    [order ? 'Last attempt' : 'Enqueued']: { show: order ? 'lastAttemptAt' : 'enqueuedAt', relative: true },
  } satisfies Columns<ListedDelivery>,
});
