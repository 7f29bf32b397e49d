import { deliveryFilter, given } from '../../deliveries/queries/contract.js';
import type { DeliverySearch } from '../../deliveries/queries/search-deliveries.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { parseOptions } from '../parse-options.js';

export type FilterOptions = {
  readonly org: string;
  readonly event?: string;
  readonly listener?: string;
  readonly replay?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
};

/** Parses the options that select deliveries. Throws `InvalidRequest`, which names the option. */
export function filterOf({ org, event, listener, ...options }: FilterOptions): DeliverySearch {
  const asked = { ...options, orgId: org, eventId: event, listenerId: listener };
  const { orgId, ...filter } = parseOptions({ orgId: opaqueId, ...deliveryFilter }, asked);
  return { orgId, ...given(filter) };
}
