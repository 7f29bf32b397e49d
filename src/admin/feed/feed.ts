import type { KeyDerivation } from '../../access/keys/master-keys.js';
import { fanOutPosition } from '../../deliveries/fan-out/partitions.js';
import { TooManyRequests } from '../../http/errors.js';
import { organisationShare } from '../../http/limits/organisation-share.js';
import { watchFailures } from '../../kernel/failures.js';
import type { TaskLog } from '../../kernel/log.js';
import { timeSlice } from '../../kernel/time-slice.js';
import { abortedByAny } from '../../kernel/unless-aborted.js';
import { flowEventArrivals } from './arrivals.js';
import { type FeedPlace, feedCursors, placeAt } from './cursor.js';
import { gapsAt } from './gaps.js';
import { type FeedPage, feedPage, type PageQuery } from './page.js';
import { type FeedSources, flowEventsOf, indexOf } from './read-feed.js';

export type FeedDependencies = FeedSources & {
  masterKeys: KeyDerivation;
  /** Maximum number of waiting requests on this instance. */
  maxFeedWaits: number;
  log: TaskLog;
  /** Ends waits. */
  stopping: AbortSignal;
};

/** `after`: a cursor, or `end`; undefined: the beginning. `gone`: ends the wait. */
export type FeedRequest = PageQuery & {
  after: string | undefined;
  waitSeconds: number;
  gone?: AbortSignal | undefined;
};

const endOfFeed = 'end';

const maxWaitsOfOrganisation = 5;
const maxReadsWaiting = 20;
const tooManyReads = 'too many requests for the events of this organisation; send fewer at a time';
const tooManyWaits = 'too many requests wait for events of this organisation; send fewer at a time';

/**
 * The flow events of an organisation in the order of their positions, from any place on: nothing is kept for a reader. A call may
 * wait for the first one. Rejects with `InvalidRequest` for a cursor that is not valid, `TooManyRequests`, and the errors of the stores.
 */
export function eventFeed(dependencies: FeedDependencies) {
  const { store, masterKeys, maxFeedWaits, stopping } = dependencies;
  const readInTurn = organisationShare(1, tooManyReads, { maxWaiting: maxReadsWaiting });
  const waitInShare = organisationShare(maxWaitsOfOrganisation, tooManyWaits);
  const failures = watchFailures(dependencies.log, 'noticing flow events for waiting requests');
  const arrivals = flowEventArrivals(store, { failures, stopping });
  const readPage = pageReader(dependencies);
  const read = (request: FeedRequest, from: FeedPlace) => readInTurn(request.orgId, () => readPage(request, from));
  let waits = 0;

  /** Reads again at each arrival, until there is an item, the time has passed or the caller has gone. */
  async function awaitPage(request: FeedRequest, from: FeedPlace): Promise<FeedPage> {
    const { gone } = request;
    const ending = gone ? abortedByAny(stopping, gone) : stopping;
    const deadline = performance.now() + request.waitSeconds * 1_000;
    const watch = await arrivals.watch(request.orgId);
    try {
      for (let place = from; ; ) {
        watch.reset();
        const page = await read(request, place);
        const leftMs = deadline - performance.now();
        if (page.items.length > 0 || page.more || leftMs <= 0 || ending.aborted) return page;
        await watch.arrival(leftMs, ending);
        place = { ...page.place, position: watch.noneUpTo(page.place.position) };
      }
    } finally {
      watch.close();
    }
  }

  async function waitFor(request: FeedRequest, from: FeedPlace): Promise<FeedPage> {
    if (waits >= maxFeedWaits) throw new TooManyRequests('too many requests wait for events; try again shortly');
    waits += 1;
    try {
      return await awaitPage(request, from);
    } finally {
      waits -= 1;
    }
  }

  async function placeOf({ orgId, after }: FeedRequest): Promise<FeedPlace> {
    if (after === undefined) return placeAt(-1n);
    return after === endOfFeed ? placeAt(await store.head()) : feedCursors(masterKeys, orgId).read(after);
  }

  return async (request: FeedRequest): Promise<FeedPage> => {
    const page = await read(request, await placeOf(request));
    if (page.items.length > 0 || page.more || request.waitSeconds === 0) return page;
    return waitInShare(request.orgId, () => waitFor(request, page.place));
  };
}

function pageReader({ store, queue }: FeedSources) {
  const lastHandedOver = rememberedFor(indexMaxAgeMs, () => fanOutPosition(queue));

  return async (request: PageQuery, from: FeedPlace): Promise<FeedPage> => {
    const { orgId } = request;
    const isBehind = from.position < ((await lastHandedOver()) ?? -1n);
    const index = isBehind ? await indexOf(queue, orgId) : undefined;
    const end = await store.head();
    const page = feedPage(request, from);
    for (const gap of await gapsAt(store, orgId, from, index)) page.addGap(gap);
    const slice = timeSlice();
    const range = { after: from.position, upTo: end > from.position ? end : from.position, index };
    for await (const seen of flowEventsOf({ store, queue }, request, range)) {
      if (slice.hasEnded()) await slice.next();
      if (!page.add(seen)) return page.end(true);
    }
    return page.end(false);
  };
}

/**
 * A question at the queue makes the embedded one write its buffer, and readers near the end are many. Less than the youngest age
 * at which flow events are deleted.
 */
const indexMaxAgeMs = 250;

function rememberedFor<Result>(maxAgeMs: number, read: () => Promise<Result>): () => Promise<Result> {
  let known: { result: Promise<Result>; at: number } | undefined;
  return () => {
    const now = performance.now();
    if (known && now - known.at < maxAgeMs) return known.result;
    known = { result: read(), at: now };
    known.result.catch(() => {
      known = undefined;
    });
    return known.result;
  };
}
