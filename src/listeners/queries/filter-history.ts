import { listenerCodec } from '../../events/listener-events.js';
import type { StreamReader } from '../../stores/event-store/event-store.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import type { FilterText } from '../filters/filter.js';
import { type ListenerDetails, listenerStream } from '../listener.js';

/** The filter that applied to a listener at a position; before the listener began, its present one. */
export type FilterAt = (position: bigint) => FilterText;

/** Reads the filters of a listener from its stream. Throws `EventUndecodable` and the store's errors. */
export async function filterHistory(
  store: StreamReader,
  { orgId, hookUrl, listenerId, subscription }: ListenerDetails,
): Promise<FilterAt> {
  const changes: { position: bigint; filter: FilterText }[] = [];
  for await (const recorded of readIfExists(store.readStream(listenerStream(orgId, hookUrl)))) {
    const { position, data } = listenerCodec.decode(recorded);
    const { filter } = data.subscription;
    const isChange = changes.length === 0 || changes.at(-1)?.filter !== filter;
    if (data.listenerId === listenerId && isChange) changes.push({ position, filter });
  }
  return (at) => {
    const change = changes.findLast(({ position }) => position <= at);
    return change === undefined ? subscription.filter : change.filter;
  };
}
