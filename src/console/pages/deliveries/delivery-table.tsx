import type { ComponentChildren } from 'preact';
import { Id } from '../../components/facts.js';
import { type Column, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { answerText, DeliveryBadge, type ListedDelivery, ShortWait } from './delivery-state.js';

export const deliveryHref = (at: PageRequest, { id, orgId }: Pick<ListedDelivery, 'id' | 'orgId'>): string =>
  at.url(`/deliveries/${encodeURIComponent(id)}`, { orgId: at.caller.orgId === null ? orgId : undefined });

export const flowEventHref = (at: PageRequest, { eventId, orgId }: Pick<ListedDelivery, 'eventId' | 'orgId'>): string =>
  at.url('/flow-events/show', { orgId: at.caller.orgId === null ? orgId : undefined, id: eventId });

export const hookHref = (at: PageRequest, listenerId: string): string =>
  at.url(`/hooks/${encodeURIComponent(listenerId)}`);

/** `first`: a column before the others. */
export const DeliveryTable = ({
  at,
  deliveries,
  first,
  empty,
}: {
  readonly at: PageRequest;
  readonly deliveries: readonly ListedDelivery[];
  readonly first?: Column<ListedDelivery>;
  readonly empty: ComponentChildren;
}) => (
  <Table
    caption="Deliveries, those of the latest flow events first"
    rows={deliveries}
    keyOf={({ id }) => id}
    empty={empty}
    columns={[
      ...(first ? [first] : []),
      { head: 'Delivery', cell: (each) => <a href={deliveryHref(at, each)}>{each.eventType}</a> },
      { head: 'Flow event', cell: (each) => <Id value={each.eventId} href={flowEventHref(at, each)} /> },
      { head: 'State', cell: (each) => <State delivery={each} /> },
      { head: 'Hook', cell: ({ listenerId }) => <Id value={listenerId} href={hookHref(at, listenerId)} /> },
      { head: 'Attempts', cell: ({ attempts }) => attempts, numeric: true },
      { head: 'Answer', cell: answerText },
      { head: 'Enqueued', cell: ({ enqueuedAt }) => enqueuedAt && <Time at={enqueuedAt} relative /> },
    ]}
  />
);

const State = ({ delivery }: { readonly delivery: ListedDelivery }) => (
  <div>
    <DeliveryBadge state={delivery.state} />
    <ShortWait delivery={delivery} />
  </div>
);
