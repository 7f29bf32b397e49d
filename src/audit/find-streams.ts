import { type EventTypeEntry, eventTypes } from '../../projections/event-types.js';
import { type HistoryEntry, listenerHistory } from '../../projections/listener-history.js';
import { type OrganisationStream, organisationStreams } from '../../projections/organisation-streams.js';
import { eventTypeStream } from '../flows/types/event-type.js';
import { pages } from '../kernel/pages.js';
import { listenerStream } from '../listeners/listener.js';
import { categoryOf, type EventStore } from '../stores/event-store/event-store.js';
import { sortable } from '../views/projection.js';
import type { Query, ReadModel } from '../views/read-model.js';
import { listSkipped } from '../views/skipped-events.js';
import { viewDocuments } from '../views/view-documents.js';
import { type AuditedCategory, isWithin, type TimeRange } from './audit-entry.js';

/** A page of changes: `limit` from `after` on, which is exclusive. */
export type PageOfChanges = TimeRange & {
  listenerId: string | undefined;
  after: bigint | undefined;
  limit: number;
  first: 'oldest' | 'newest';
};

/** Finds the streams of a history; with a page, streams without a change on it may be left out. */
export type FindStreams = (
  orgId: string,
  category: AuditedCategory,
  page?: PageOfChanges,
) => Promise<readonly string[]>;

/** Store positions. */
export type OnScanned = (position: bigint, head: bigint) => void;

/**
 * Reads the index, then the events after it: complete at any lag. Throws `StoreUnavailable` where the index has not
 * been built.
 */
export const indexedStreams =
  (store: EventStore, readModel: ReadModel): FindStreams =>
  async (orgId, category, page) => {
    const changed = page && category === 'listener' && (await changedListeners(store, readModel, orgId, page));
    if (changed) return changed;
    const from = await readModel.position(organisationStreams); // before the index is read, because it may advance
    const found = new Set<string>();
    for await (const { document } of viewDocuments(readModel, organisationStreams, { orgId, category })) {
      found.add((document as OrganisationStream).stream); // the projection wrote it
    }
    for await (const stream of streamsIn(store, orgId, [category], { from })) found.add(stream);
    return [...found].sort();
  };

const entriesAtOnce = 500;

/** Streams of the listeners with a change on the page. Undefined where the view leaves out events that a page shows. */
async function changedListeners(
  store: EventStore,
  readModel: ReadModel,
  orgId: string,
  { listenerId, after, limit, first, ...range }: PageOfChanges,
): Promise<readonly string[] | undefined> {
  if ((await listSkipped(store, listenerHistory)).length > 0) return undefined;
  const handled = await readModel.position(listenerHistory); // before the view is read, because it may advance
  const found = new Set<string>();
  for await (const stream of streamsIn(store, orgId, ['listener'], { from: handled })) found.add(stream);
  const query: Query = {
    where: listenerId === undefined ? { orgId } : { listenerId },
    after: after !== undefined && after >= 0n ? sortable(after) : undefined,
    direction: first === 'newest' ? 'backwards' : undefined,
  };
  const size = Math.min(limit, entriesAtOnce);
  let changes = 0;
  const find = (next: object) => readModel.find(listenerHistory, { ...query, ...next });
  for await (const page of pages(size, find, ({ key }) => key)) {
    for (const { document } of page) {
      const entry = document as HistoryEntry; // the projection wrote it
      if (entry.orgId !== orgId || !isWithin(entry, range)) continue;
      found.add(listenerStream(orgId, entry.hookUrl));
      changes += 1;
    }
    if (changes >= limit) break;
  }
  return [...found].sort();
}

/** Reads every event once for each organisation; needs no read model. */
export function scannedStreams(
  store: EventStore,
  categories: readonly AuditedCategory[],
  onScanned: OnScanned = () => undefined,
): FindStreams {
  const found = new Map<string, Promise<ReadonlySet<string>>>();

  async function scan(orgId: string): Promise<ReadonlySet<string>> {
    const head = await store.head();
    const onPosition = (position: bigint) => onScanned(position, head);
    const streams = new Set<string>();
    for await (const stream of streamsIn(store, orgId, categories, { onPosition })) streams.add(stream);
    onPosition(head);
    return streams;
  }

  return async (orgId, category) => {
    const streams = found.get(orgId) ?? scan(orgId);
    found.set(orgId, streams);
    return [...(await streams)].filter((stream) => categoryOf(stream) === category).sort();
  };
}

type Scan = { from?: bigint; onPosition?: (position: bigint) => void };

/** May yield a stream more than once. */
async function* streamsIn(
  store: EventStore,
  orgId: string,
  categories: readonly AuditedCategory[],
  { from, onPosition }: Scan,
): AsyncGenerator<string> {
  for await (const { stream, data, position } of store.readAll({
    filter: { categories },
    from,
  })) {
    onPosition?.(position);
    if ((data as { orgId?: unknown } | null | undefined)?.orgId === orgId) yield stream;
  }
}

export type FindEventTypeStreams = () => Promise<readonly string[]>;

/** Works as `indexedStreams`, with the view of event types. */
export const indexedEventTypes =
  (store: EventStore, readModel: Pick<ReadModel, 'find' | 'position'>): FindEventTypeStreams =>
  async () => {
    const from = await readModel.position(eventTypes); // before the view is read, because it may advance
    const found = new Set<string>();
    for await (const { document } of viewDocuments(readModel, eventTypes)) {
      found.add(eventTypeStream((document as EventTypeEntry).name)); // the projection wrote it
    }
    for await (const { stream } of eventTypeEvents(store, from)) found.add(stream);
    return [...found].sort();
  };

/** Reads every event of the category; needs no view. */
export const scannedEventTypes =
  (store: EventStore, onScanned: OnScanned = () => undefined): FindEventTypeStreams =>
  async () => {
    const head = await store.head();
    const found = new Set<string>();
    for await (const { stream, position } of eventTypeEvents(store)) {
      found.add(stream);
      onScanned(position, head);
    }
    return [...found].sort();
  };

const eventTypeEvents = (store: EventStore, from?: bigint) =>
  store.readAll({ filter: { categories: ['eventType'] }, from });
