import type { ComponentChildren } from 'preact';
import { listListenersRoute } from '../../../admin/api/contracts/listeners.js';
import { Id } from '../../components/card.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { DeliveryOrder } from './delivery-filter.js';
import { answerText, DeliveryStateText, type ListedDelivery } from './delivery-state.js';

export const deliveryHref = (at: PageRequest, { id, orgId }: Pick<ListedDelivery, 'id' | 'orgId'>): string =>
  at.url(`/deliveries/${encodeURIComponent(id)}`, { orgId: at.caller.orgId === null ? orgId : undefined });

export const flowEventHref = (at: PageRequest, { eventId, orgId }: Pick<ListedDelivery, 'eventId' | 'orgId'>): string =>
  at.url('/flow-events/show', { orgId: at.caller.orgId === null ? orgId : undefined, id: eventId });

export const listenerHref = (at: PageRequest, listenerId: string): string =>
  at.url(`/listeners/${encodeURIComponent(listenerId)}`);

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

/** `first`: a column before the others. */
export const DeliveryTable = ({
  at,
  deliveries,
  hookUrls,
  first,
  order,
  empty,
}: {
  at: PageRequest;
  deliveries: readonly ListedDelivery[];
  hookUrls: HookUrls;
  first?: Column<ListedDelivery>;
  order?: DeliveryOrder;
  empty: ComponentChildren;
}) => (
  <Table
    caption={`Deliveries, those of the latest ${order ? 'attempts' : 'flow events'} first`}
    rows={deliveries}
    keyOf={({ id }) => id}
    empty={empty}
    columns={[
      ...(first ? [first] : []),
      { head: 'Type', cell: (each) => <a href={deliveryHref(at, each)}>{each.eventType}</a> },
      { head: 'State', cell: (each) => <DeliveryStateText delivery={each} /> },
      {
        head: 'Listener',
        wide: true,
        cell: ({ listenerId }) => (
          <Id value={hookUrls.get(listenerId) ?? listenerId} href={listenerHref(at, listenerId)} />
        ),
      },
      { head: 'Flow event', cell: (each) => <Id value={each.eventId} href={flowEventHref(at, each)} /> },
      { head: 'Attempts', cell: ({ attempts }) => attempts, numeric: true },
      { head: 'Answer', cell: answerText },
      order
        ? { head: 'Last attempt', cell: ({ lastAttemptAt }) => lastAttemptAt && <Time at={lastAttemptAt} relative /> }
        : { head: 'Enqueued', cell: ({ enqueuedAt }) => enqueuedAt && <Time at={enqueuedAt} relative /> },
    ]}
  />
);
