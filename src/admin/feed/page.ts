import { bodyOf, type FlowEvent, payloadOf } from '../../flows/flow-event.js';
import { type FilterText, selects } from '../../listeners/filters/filter.js';
import type { FeedPlace } from './cursor.js';
import type { FeedQuery, Seen } from './read-feed.js';

/** `filter`: by which events of the type are selected. */
export type PageQuery = FeedQuery & { filter: FilterText; limit: number };

/**
 * Missing events. `deleted`: of these the number is known. `retention`, `erasure`: any number of those up to `upTo`, because of their
 * age, or since all data of the organisation was erased.
 */
export type FeedGap = { reason: 'deleted' | 'retention' | 'erasure'; upTo: bigint; events: number | null };

/** `place`: after the item. */
export type FeedItem = { place: FeedPlace } & (
  | { kind: 'event'; position: bigint; event: FlowEvent }
  | ({ kind: 'gap' } & FeedGap)
);

/** `place`: after the page. `more`: another page may follow at once. */
export type FeedPage = { items: readonly FeedItem[]; place: FeedPlace; more: boolean };

/** Bounds of a page, whatever its caller requests; a single event may be larger. */
const maxPage = { bytes: 1_048_576, examined: 5_000, read: 500, ms: 1_000 };
/** Size of an item as JSON, apart from the event's own. */
const itemBytes = 512;

export function feedPage(query: PageQuery, from: FeedPlace) {
  const { filter, limit } = query;
  const deadline = performance.now() + maxPage.ms;
  const items: FeedItem[] = [];
  let place = from;
  let bytes = 0;
  let examined = 0;
  let read = 0;

  const isFull = () =>
    items.length >= limit || examined >= maxPage.examined || read >= maxPage.read || performance.now() > deadline;

  /** False if there is no place for it. */
  function addEvent(event: FlowEvent, position: bigint): boolean {
    const size = Buffer.byteLength(bodyOf(event)) + itemBytes;
    if (items.length > 0 && (items.length >= limit || bytes + size > maxPage.bytes)) return false;
    bytes += size;
    items.push({ kind: 'event', place: { ...place, position }, position, event });
    return true;
  }

  /** Deleted events that follow each other are one gap. */
  function addDeleted(position: bigint): boolean {
    const last = items.at(-1);
    const isNext = last?.kind === 'gap' && last.reason === 'deleted';
    if (!isNext && items.length > 0 && items.length >= limit) return false;
    const before = isNext ? items.pop() : undefined;
    const events = (before?.kind === 'gap' ? (before.events ?? 0) : 0) + 1;
    items.push({ kind: 'gap', place: { ...place, position }, reason: 'deleted', upTo: position, events });
    return true;
  }

  return {
    addGap(gap: FeedGap): void {
      place = { ...place, reported: gap.upTo };
      items.push({ kind: 'gap', place, ...gap });
    },
    /** False: the page is full, with this one or without it. */
    add({ position, event, deleted }: Seen): boolean {
      if (event && selects(filter, payloadOf(event)) && !addEvent(event, position)) return false;
      if (deleted && !addDeleted(position)) return false;
      place = { ...place, position };
      examined += 1;
      if (event ?? deleted) read += 1;
      return !isFull();
    },
    end: (more: boolean): FeedPage => ({ items, place, more }),
  };
}
