import type { PageRequest } from './pages.js';
import { type TimeSlice, timeSlice } from './time-slice.js';

/** Bounds of one page of a list, whatever its caller requests. */
export const pageBounds = {
  /** Size of the items as JSON; a single item may be larger. */
  bytes: 4 * 1_048_576,
  /** Rows, where few of them match. */
  examined: 5_000,
} as const;

/** Read in one time slice: some milliseconds of work. */
const chunkBounds = { rows: 250, bytes: 262_144 } as const;
/** Rows read before the size of the items is known. */
const firstChunkRows = 25;

type Chunk<Item, Cursor> = {
  /** Items that match, in the list's order. */
  items: readonly Item[];
  /** Place after the last row examined; undefined: the end of the list. */
  next: Cursor | undefined;
};

type Source<Item, Cursor> = {
  /** Examines at most `limit` rows. */
  read: (request: PageRequest<Cursor>) => Promise<Chunk<Item, Cursor>>;
  /** Rows per read: `few` by default; `all`: as many as the page can take; `many`: also where it can take fewer, as few match. */
  examines?: 'few' | 'many' | 'all';
  /** Place after an item. */
  cursorOf: (item: Item) => Cursor;
  /** Size in the answer; by default that of its JSON. */
  bytesOf?: (item: Item) => number;
};

type PageQuery<Cursor> = { limit: number; after?: Cursor | undefined; maxExamined?: number | undefined };

/** A page may have fewer items than its limit and a next one; `next` undefined: the end of the list. */
export type BoundedPage<Item, Cursor = string> = Chunk<Item, Cursor>;

/**
 * One page of a list, read in chunks, each in a time slice. It ends at `limit` items, or at one of `pageBounds`.
 * Rejects with the errors of the source.
 */
export async function boundedPage<Item, Cursor = string>(
  { limit, after, maxExamined = pageBounds.examined }: PageQuery<Cursor>,
  { read, cursorOf, bytesOf = jsonBytes, examines = 'few' }: Source<Item, Cursor>,
  slice: TimeSlice = timeSlice(),
): Promise<BoundedPage<Item, Cursor>> {
  const items: Item[] = [];
  let place = after;
  let bytes = 0;
  let examined = 0;
  for (let rows: number = firstChunkRows; ; ) {
    await slice.next();
    const left = limit - items.length;
    const size = { few: Math.min(rows, left), many: Math.min(rows, maxExamined - examined), all: left }[examines];
    const chunk = await read({ limit: size, ...(place !== undefined && { after: place }) });
    examined += size;
    for (const [index, item] of chunk.items.entries()) {
      if (slice.hasEnded()) await slice.next();
      bytes += bytesOf(item);
      if (bytes > pageBounds.bytes && items.length > 0) return { items, next: place };
      items.push(item);
      place = cursorOf(item);
      const isLast = chunk.next === undefined && index === chunk.items.length - 1;
      if (items.length === limit) return { items, next: isLast ? undefined : place };
    }
    place = chunk.next;
    if (place === undefined || examined >= maxExamined) return { items, next: place };
    const itemBytes = Math.max(1, bytes / Math.max(1, items.length));
    rows = Math.max(1, Math.min(chunkBounds.rows, Math.floor(chunkBounds.bytes / itemBytes)));
  }
}

const jsonBytes = (item: unknown): number => Buffer.byteLength(JSON.stringify(item));

/** Source of a list without a filter: fewer items than requested are the last ones. */
export const unfiltered = <Item, Cursor>(
  fetch: (page: PageRequest<Cursor>) => Promise<readonly Item[]>,
  cursorOf: (item: Item) => Cursor,
): Source<Item, Cursor> => ({
  async read(request) {
    const items = await fetch(request);
    const last = items.length === request.limit ? items.at(-1) : undefined;
    return { items, next: last === undefined ? undefined : cursorOf(last) };
  },
  cursorOf,
});

/** Works as `unfiltered`, for a list whose reads cost the same whatever their limit: it yields the thread itself. */
export const readAtOnce = <Item, Cursor>(
  fetch: (page: PageRequest<Cursor>) => Promise<readonly Item[]>,
  cursorOf: (item: Item) => Cursor,
): Source<Item, Cursor> => ({ ...unfiltered(fetch, cursorOf), examines: 'all' });
