import { categoryOf, type EventStore } from '../../stores/event-store/event-store.js';

/** A stream with events of the organisation. */
export type ScannedStream = {
  readonly stream: string;
  readonly category: string;
  /** The registrations that a listener stream was about. */
  readonly listenerIds: readonly string[];
  /** The revision of the last event that was found of it. */
  readonly foundUpTo: bigint;
};

export type OrganisationScan = {
  readonly streams: readonly ScannedStream[];
  /** The position of the last of its events that the fan-out does something about; -1n where there is none. */
  readonly fannedOut: bigint;
  /** Everything up to here, inclusive, has been looked at. */
  readonly upTo: bigint;
};

/** How far a scan has come: positions. */
export type OnScanned = (position: bigint, head: bigint) => void;

/** Every category with events that are about organisations. */
export const organisationCategories = ['listener', 'session', 'integrationTask', 'organisation', 'replay', 'flow'];

/**
 * Finds the streams of an organisation by reading every event behind a position: no index of flow events is kept, which are
 * their producers', and nothing of an organisation may be missed for an index that is wrong.
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
