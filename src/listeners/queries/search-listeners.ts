import type { ListenerPeriod } from '../../../projections/listeners.js';
import type { ListenerLog, ListenerState } from '../../queue/listener-log.js';
import type { DocumentFinder } from '../../views/read-model.js';
import { overdueAfterMs } from './listener-health.js';
import { currentListener } from './registered-listeners.js';
import { type FoundPeriods, type ListenerQuery, type SearchedState, searchPeriods } from './search-periods.js';

export type ListenerSearch = ListenerQuery & {
  /** `troubled`: its deliveries do not get through (see `listenersInTrouble`), or its failures were recorded. */
  state?: Exclude<SearchedState, 'failing'> | 'troubled';
};

export type FoundListener = { details: ListenerPeriod; state: ListenerState | undefined };

export type FoundListeners = Omit<FoundPeriods, 'listeners'> & { listeners: readonly FoundListener[] };

export type SearchListeners = {
  readModel: DocumentFinder;
  queue: ListenerLog;
  /** Milliseconds since 1970. */
  clock: () => number;
};

/** Maximum number of troubled listeners of each kind that are considered; beyond that, any of them. */
const maxTroubled = 1_000;

/**
 * Finds listeners with their health, the latest registered first, page by page; see `searchPeriods`. Throws
 * `StoreUnavailable` if the view has not been built.
 */
export async function searchListeners(
  sources: SearchListeners,
  { state, ...search }: ListenerSearch,
): Promise<FoundListeners> {
  if (state === 'troubled') return troubledListeners(sources, search);
  const { listeners, ...page } = await searchPeriods(sources.readModel, { ...search, state });
  return { listeners: await withStates(sources.queue, listeners), ...page };
}

async function withStates(
  queue: SearchListeners['queue'],
  listeners: readonly ListenerPeriod[],
): Promise<readonly FoundListener[]> {
  if (listeners.length === 0) return [];
  const states = await queue.listenerStates(listeners.map(({ listenerId }) => listenerId));
  return listeners.map((details) => ({ details, state: states.get(details.listenerId) }));
}

/** Breakers and overdue deliveries are known to the queue, recorded failures to the view. Pages end with a listener ID. */
async function troubledListeners(
  { readModel, queue, clock }: SearchListeners,
  { orgId, hookUrl, urlPart, after, limit }: ListenerQuery,
): Promise<FoundListeners> {
  const [failing, stuck] = await Promise.all([
    searchPeriods(readModel, { orgId, state: 'failing', limit: maxTroubled }),
    queue.listeners({ orgId, dueBefore: clock() - overdueAfterMs, limit: maxTroubled }),
  ]);
  const known = new Map(failing.listeners.map((details) => [details.listenerId, details]));
  const isStuck = new Set(stuck.map(({ listenerId }) => listenerId));
  const ids = [...new Set([...known.keys(), ...isStuck])].sort().reverse();
  const rest = ids.filter((id) => after === undefined || id < after);
  const part = urlPart?.toLowerCase();
  const listeners: FoundListener[] = [];
  let searched = 0;
  for (; searched < rest.length && listeners.length < limit; searched += limit) {
    const batch = rest.slice(searched, searched + limit);
    const states = await queue.listenerStates(batch);
    const found = await Promise.all(batch.map((id) => known.get(id) ?? currentListener(readModel, id)));
    for (const details of found) {
      if (!details) continue; // removed in the meantime
      const state = states.get(details.listenerId);
      // A listener that has recovered stays recorded as failing until it is resumed or changed.
      if (!isStuck.has(details.listenerId) && !state?.health.failing) continue;
      if (hookUrl !== undefined && details.hookUrl !== hookUrl) continue;
      if (part !== undefined && !details.hookUrl.toLowerCase().includes(part)) continue;
      listeners.push({ details, state });
    }
  }
  const page = listeners.slice(0, limit);
  const isLast = searched >= rest.length && listeners.length <= limit;
  const next = isLast ? undefined : page.at(-1)?.details.listenerId;
  return { listeners: page, next, searched: Math.min(searched, rest.length) };
}
