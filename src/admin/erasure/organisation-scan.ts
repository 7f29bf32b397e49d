import { concernedOrganisation } from '../../flows/flow-event.js';
import { categoryOf, type EventStore } from '../../stores/event-store/event-store.js';

export type ScannedStream = {
  stream: string;
  category: string;
  listenerIds: readonly string[];
  foundUpTo: bigint;
};

type OrganisationScan = {
  streams: readonly ScannedStream[];
  /** Last position that the fan-out acts on; -1n: none. */
  fannedOut: bigint;
  upTo: bigint;
};

/** Store positions. */
export type OnScanned = (position: bigint, head: bigint) => void;

/** Categories whose events name an organisation. */
const organisationCategories = [
  'listener',
  'session',
  'apiKey',
  'consent',
  'portal',
  'forwarding',
  'integrationTask',
  'organisation',
  'replay',
  'flow',
];

/**
 * Reads all events, without an index: flow events have none, and an erasure must be complete even if an index is wrong.
 */
export async function scanOrganisation(
  store: EventStore,
  orgId: string,
  { from, onScanned }: { from: bigint | undefined; onScanned?: OnScanned },
): Promise<OrganisationScan> {
  const upTo = await store.head();
  const found = new Map<string, { listenerIds: Set<string>; foundUpTo: bigint }>();
  let fannedOut = -1n;
  for await (const event of store.readAll({
    filter: { categories: organisationCategories },
    from,
  })) {
    if (event.position > upTo) break;
    onScanned?.(event.position, upTo);
    const { listenerId, ...data } = (event.data ?? {}) as Readonly<Record<string, unknown>>;
    const named = concernedOrganisation(data);
    const known = found.get(event.stream);
    if (known) known.foundUpTo = event.revision;
    if (named !== orgId) continue;
    const { listenerIds } = known ?? { listenerIds: new Set<string>() };
    const category = categoryOf(event.stream);
    if (category === 'listener' && typeof listenerId === 'string') listenerIds.add(listenerId);
    if (category === 'flow' || event.type === 'ListenerUnsubscribed') fannedOut = event.position;
    found.set(event.stream, { listenerIds, foundUpTo: event.revision });
  }
  onScanned?.(upTo, upTo);
  const streams = Array.from(found, ([stream, { listenerIds, foundUpTo }]) => ({
    stream,
    category: categoryOf(stream),
    listenerIds: [...listenerIds],
    foundUpTo,
  }));
  return { streams, fannedOut, upTo };
}
