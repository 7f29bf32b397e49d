import { termOf } from '../../flows/types/search-terms.js';
import { matches } from '../../flows/types/subscription-types.js';
import { boundedPage } from '../../kernel/bounded-page.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parsePosition, requireTimeRange } from '../../kernel/input/parse-input.js';
import type { PageRequest } from '../../kernel/pages.js';
import type { EventFinder, ListedEvent } from '../../queue/delivery-log.js';

/** Flow events of an organisation that the fan-out has processed. Times in milliseconds since 1970, both inclusive. */
export type FlowEventSearch = {
  orgId: string;
  /** Type as a subscription type selects it: a type, or a prefix such as `flow.*`. */
  type?: string;
  /** ID, flowId or searchable value; where no event has it, the beginning of one. */
  find?: string;
  /** Time of the recording. */
  from?: number;
  to?: number;
  /** The `next` of the page before. */
  after?: string;
  limit?: number;
};

/** `next`: `after` of the next page; undefined: the end. A short page may have a next one. */
export type FoundFlowEvents = { events: readonly ListedEvent[]; next: string | undefined };

type Queue = EventFinder;

/**
 * Maximum clock skew between instances: the recorded time of an event may be earlier by this than at a lower position.
 */
export const skewMs = 10 * 60_000;

/**
 * Flow events, the latest first, page by page. The cost depends neither on the number of events nor on the age of a
 * period. Throws `InvalidRequest` if `from` is later than `to`, or `after` is no `next` of a page.
 */
export async function searchFlowEvents(
  queue: Queue,
  { orgId, type, find, from, to, after, limit = 100 }: FlowEventSearch,
): Promise<FoundFlowEvents> {
  requireTimeRange({ from, to });
  const term = find === undefined ? undefined : termOf(find);
  const isSelected = ({ type: eventType, recordedAt }: ListedEvent) =>
    (type === undefined || matches(type, eventType)) &&
    (from === undefined || (recordedAt !== undefined && recordedAt >= from)) &&
    (to === undefined || (recordedAt !== undefined && recordedAt <= to));
  const isTooOld = ({ recordedAt }: ListedEvent) =>
    from !== undefined && recordedAt !== undefined && recordedAt < from - skewMs;
  if (term !== undefined && after === undefined && (await queue.events({ orgId, term, limit: 1 })).length === 0) {
    const begun = await queue.events({ orgId, beginning: term, limit });
    return { events: begun.filter(isSelected).sort(latestFirst), next: undefined };
  }
  const place = after === undefined ? undefined : placeOf(after);
  const begin = to === undefined ? place : await beginningOf(queue, orgId, { before: place, latest: to + skewMs });
  const read = async ({ limit: rows, after: before }: PageRequest<bigint>) => {
    const page = await queue.events({ orgId, before, term, limit: rows });
    const end = page.findIndex(isTooOld);
    const seen = end < 0 ? page : page.slice(0, end);
    return {
      items: seen.filter(isSelected),
      next: end < 0 && page.length === rows ? page.at(-1)?.position : undefined,
    };
  };
  const isFiltered = type !== undefined || from !== undefined || to !== undefined;
  const found = await boundedPage(
    { limit, after: begin },
    { read, examines: isFiltered ? 'many' : 'few', cursorOf: ({ position }: ListedEvent) => position, bytesOf },
  );
  return { events: found.items, next: found.next?.toString() };
}

/** Size of a listed flow event, whose other fields have a fixed size. */
const bytesOf = ({ orgId, type, publishedId = '' }: ListedEvent): number =>
  Buffer.byteLength(orgId + type + publishedId) + 256;

const latestFirst = (one: ListedEvent, other: ListedEvent): number => (one.position < other.position ? 1 : -1);

function placeOf(after: string): bigint {
  const position = parsePosition(after);
  if (position === undefined)
    throw new InvalidRequest('after is not a cursor of this list: use next of the previous page');
  return position;
}

/**
 * Position before which to begin, to skip events after `latest`: by binary search, as recorded times follow positions
 * except for clock skew.
 */
export async function beginningOf(
  queue: Queue,
  orgId: string,
  { before, latest }: { before: bigint | undefined; latest: number },
): Promise<bigint | undefined> {
  const latestBefore = async (position: bigint | undefined) =>
    (await queue.events({ orgId, before: position, limit: 1 }))[0];
  const isLater = (event: ListedEvent | undefined): event is ListedEvent => (event?.recordedAt ?? latest) > latest;
  const first = await latestBefore(before);
  if (!isLater(first)) return before;
  let low = 0n;
  let high = first.position;
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const found = await latestBefore(middle + 1n);
    if (isLater(found)) high = found.position;
    else low = middle + 1n;
  }
  return high;
}
