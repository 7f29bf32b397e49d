import { type ListenerPeriod, listenersView } from '../../../projections/listeners.js';
import { findPage } from '../../views/find-page.js';
import { open } from '../../views/projection.js';
import type { DocumentFinder, Query } from '../../views/read-model.js';

/** States by which listeners are searched: `paused-failing`: paused by the service, because the listener failed. */
const searchedStates = ['active', 'paused', 'paused-failing', 'failing', 'ended'] as const;

export type SearchedState = (typeof searchedStates)[number];

/** Listeners in any state. */
export type ListenerQuery = {
  /** Undefined: all organisations. */
  orgId?: string;
  /** The whole URL; normalised. */
  hookUrl?: string;
  /** A part of the URL, in either case. */
  urlPart?: string;
  /** `next` of the page before. */
  after?: string;
  /** 1 to 1,000. */
  limit: number;
};

export type PeriodSearch = ListenerQuery & {
  /** Current listeners in any state without it. */
  state?: SearchedState;
};

export type FoundPeriods = {
  /** The latest registered first. */
  listeners: readonly ListenerPeriod[];
  /** The `after` of the next page, which may be empty; undefined: nothing is left to be examined. */
  next: string | undefined;
  /** Number of listeners examined for this page. */
  searched: number;
};

/**
 * Finds listeners in the view. An index serves organisation, state and whole URL; for parts of URLs, listeners are
 * examined one by one, a limited number for each page. Throws `StoreUnavailable` if the view has not been built.
 */
export async function searchPeriods(
  readModel: DocumentFinder,
  search: PeriodSearch,
  maxExamined?: number,
): Promise<FoundPeriods> {
  const where = lookupOf(search);
  const { items, next, examined } = await findPage<ListenerPeriod>(readModel, listenersView, {
    where,
    isSelected: filterOf(search, where),
    direction: 'backwards',
    limit: search.limit,
    after: search.after,
    maxExamined,
  });
  return { listeners: items, next, searched: examined };
}

/** The most selective index that serves the search. */
function lookupOf({ orgId, hookUrl, state }: PeriodSearch): Query['where'] {
  // Listeners that are `active` are nearly all; those that are failing are active too.
  const byStatus = state !== undefined && state !== 'active';
  if (hookUrl !== undefined) return state === 'ended' ? { hookUrl } : { hookUrl, until: open };
  const selected: Query['where'] = byStatus ? { status: state } : { until: open };
  return orgId === undefined ? selected : { orgId, ...selected };
}

/** Condition that the index does not cover; undefined if it covers all. */
function filterOf({ orgId, urlPart, state }: PeriodSearch, where: Query['where']) {
  const part = urlPart?.toLowerCase();
  const tests = [
    ...(orgId !== undefined && !('orgId' in where) ? [(each: ListenerPeriod) => each.orgId === orgId] : []),
    ...(state === 'active' ? [(each: ListenerPeriod) => each.state === 'active'] : []),
    ...(state !== undefined && state !== 'active' && !('status' in where)
      ? [(each: ListenerPeriod) => each.status === state]
      : []),
    ...(part === undefined ? [] : [(each: ListenerPeriod) => each.hookUrl.toLowerCase().includes(part)]),
  ];
  return tests.length === 0 ? undefined : (each: ListenerPeriod) => tests.every((test) => test(each));
}
