import { listeners, type RegistrationPeriod } from '../../../../projections/listeners.js';
import { open } from '../../../stores/read-model/projection.js';
import type { Query, ReadModel } from '../../../stores/read-model/read-model.js';

/** States by which registrations are searched: `paused-failing`: paused by the service, because the hook failed. */
const searchedStates = ['active', 'paused', 'paused-failing', 'failing', 'ended'] as const;

export type SearchedState = (typeof searchedStates)[number];

export type RegistrationSearch = {
  /** Of all organisations without it. */
  readonly orgId?: string | undefined;
  /** The whole URL; normalised. */
  readonly hookUrl?: string | undefined;
  /** A part of the URL, in either case. */
  readonly urlPart?: string | undefined;
  /** Current registrations in any state without it. */
  readonly state?: SearchedState | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
};

export type FoundRegistrations = {
  /** The latest registered first. */
  readonly registrations: readonly RegistrationPeriod[];
  /** The `after` of the next page, which may be empty; undefined: nothing is left to be examined. */
  readonly next: string | undefined;
  /** Number of registrations examined for this page. */
  readonly searched: number;
};

/** Maximum number of registrations examined for one page, which bounds the response time: 7 to 50 ms on SQLite. */
const maxSearched = 2_000;
/** Number of registrations read at a time where not all of them are as asked for. */
const readAtOnce = 500;

/**
 * Finds registrations in the view. An index serves organisation, state and whole URL; for parts of URLs, registrations are
 * examined one by one, a limited number for each page. Throws `StoreUnavailable` if the view has not been built.
 */
export async function searchRegistrations(
  readModel: Pick<ReadModel, 'find'>,
  search: RegistrationSearch,
): Promise<FoundRegistrations> {
  const { limit } = search;
  const where = lookupOf(search);
  const isWanted = filterOf(search, where);
  const atOnce = isWanted ? readAtOnce : limit;
  const registrations: RegistrationPeriod[] = [];
  let next = search.after;
  let searched = 0;
  while (searched < maxSearched) {
    const query: Query = { where, direction: 'backwards', limit: atOnce, ...(next !== undefined && { after: next }) };
    const page = await readModel.find(listeners, query);
    for (const { key, document } of page) {
      const registration = document as RegistrationPeriod; // the projection wrote it
      next = key;
      searched += 1;
      if (isWanted && !isWanted(registration)) continue;
      if (registrations.push(registration) === limit) return { registrations, next, searched };
    }
    if (page.length < atOnce) return { registrations, next: undefined, searched };
  }
  return { registrations, next, searched };
}

/** The most selective index that serves the search. */
function lookupOf({ orgId, hookUrl, state }: RegistrationSearch): Query['where'] {
  // Registrations that are `active` are nearly all; those that are failing are active too.
  const byStatus = state !== undefined && state !== 'active';
  if (hookUrl !== undefined) return state === 'ended' ? { hookUrl } : { hookUrl, until: open };
  const selected = byStatus ? { status: state } : { until: open };
  return orgId === undefined ? selected : { orgId, ...selected };
}

/** What the index does not decide; undefined if it decides everything. */
function filterOf({ orgId, urlPart, state }: RegistrationSearch, where: Query['where']) {
  const part = urlPart?.toLowerCase();
  const tests = [
    ...(orgId !== undefined && !('orgId' in where) ? [(each: RegistrationPeriod) => each.orgId === orgId] : []),
    ...(state === 'active' ? [(each: RegistrationPeriod) => each.state === 'active'] : []),
    ...(state !== undefined && state !== 'active' && !('status' in where)
      ? [(each: RegistrationPeriod) => each.status === state]
      : []),
    ...(part === undefined ? [] : [(each: RegistrationPeriod) => each.hookUrl.toLowerCase().includes(part)]),
  ];
  return tests.length === 0 ? undefined : (each: RegistrationPeriod) => tests.every((test) => test(each));
}
