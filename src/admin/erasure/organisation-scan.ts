import { categoryOf, type EventStore } from '../../stores/event-store/event-store.js';

/** A stream with events of the organisation. */
export type ScannedStream = {
  readonly stream: string;
  readonly category: string;
  /** The listener ids in a listener stream. */
  readonly listenerIds: readonly string[];
  /** The revision of the last event found in the stream. */
  readonly foundUpTo: bigint;
};

type OrganisationScan = {
  readonly streams: readonly ScannedStream[];
  /** The position of the organisation's last event that the fan-out acts on; -1n where there is none. */
  readonly fannedOut: bigint;
  /** The position up to which events were read, inclusive. */
  readonly upTo: bigint;
};

/** Progress of a scan, as positions. */
export type OnScanned = (position: bigint, head: bigint) => void;

/** Every category whose events name an organisation. */
const organisationCategories = [
  'listener',
  'session',
  'apiKey',
  'consent',
  'portal',
  'integrationTask',
  'organisation',
  'replay',
  'flow',
];

/**
 * Finds the streams of an organisation by reading every event after a position. An index is not used: there is none of flow
 * events, and an erasure must be complete even where an index is wrong.
 */
export async function scanOrganisation(
  store: EventStore,
  orgId: string,
  { from, onScanned }: { readonly from: bigint | undefined; readonly onScanned?: OnScanned | undefined },
): Promise<OrganisationScan> {
  const upTo = await store.head();
  const found = new Map<string, { readonly listenerIds: Set<string>; foundUpTo: bigint }>();
  let fannedOut = -1n;
  for await (const event of store.readAll({
    filter: { categories: organisationCategories },
    ...(from !== undefined && { from }),
  })) {
    if (event.position > upTo) break;
    onScanned?.(event.position, upTo);
    const { orgId: named, listenerId } = (event.data ?? {}) as {
      readonly orgId?: unknown;
      readonly listenerId?: unknown;
    };
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
