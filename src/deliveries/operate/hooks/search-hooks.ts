import type { RegistrationPeriod } from '../../../../projections/listeners.js';
import { currentRegistration } from '../../../registrations/listeners/queries/find.js';
import {
  type FoundRegistrations,
  type RegistrationSearch,
  type SearchedState,
  searchRegistrations,
} from '../../../registrations/listeners/queries/search.js';
import type { ReadModel } from '../../../stores/read-model/read-model.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { HookState } from '../../queue/hook-state.js';
import { overdueAfterMs } from '../hooks-in-trouble.js';

export type HookSearch = Omit<RegistrationSearch, 'state'> & {
  /** `troubled`: its deliveries do not get through (see `hooksInTrouble`), or its failures were recorded. */
  readonly state?: Exclude<SearchedState, 'failing'> | 'troubled' | undefined;
};

export type FoundHook = { readonly registration: RegistrationPeriod; readonly state: HookState | undefined };

export type FoundHooks = Omit<FoundRegistrations, 'registrations'> & { readonly hooks: readonly FoundHook[] };

export type SearchHooks = {
  readonly readModel: Pick<ReadModel, 'find'>;
  readonly queue: Pick<DeliveryQueue, 'hookStates' | 'hooksInTrouble'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
};

/** Maximum number of troubled hooks of each kind that are considered; beyond that, any of them. */
const maxTroubled = 1_000;

/**
 * Finds hooks with their health, the latest registered first, page by page; see `searchRegistrations`. Throws
 * `StoreUnavailable` if the view has not been built.
 */
export async function searchHooks(sources: SearchHooks, { state, ...search }: HookSearch): Promise<FoundHooks> {
  if (state === 'troubled') return troubledHooks(sources, search);
  const { registrations, ...page } = await searchRegistrations(sources.readModel, { ...search, state });
  return { hooks: await withStates(sources.queue, registrations), ...page };
}

async function withStates(
  queue: SearchHooks['queue'],
  registrations: readonly RegistrationPeriod[],
): Promise<readonly FoundHook[]> {
  if (registrations.length === 0) return [];
  const states = await queue.hookStates(registrations.map(({ listenerId }) => listenerId));
  return registrations.map((registration) => ({ registration, state: states.get(registration.listenerId) }));
}

/** Breakers and overdue deliveries are known to the queue, recorded failures to the view. Pages end with a listener ID. */
async function troubledHooks(
  { readModel, queue, clock }: SearchHooks,
  { orgId, hookUrl, urlPart, after, limit }: Omit<RegistrationSearch, 'state'>,
): Promise<FoundHooks> {
  const [failing, stuck] = await Promise.all([
    searchRegistrations(readModel, { orgId, state: 'failing', limit: maxTroubled }),
    queue.hooksInTrouble({ orgId, dueBefore: clock() - overdueAfterMs, limit: maxTroubled }),
  ]);
  const known = new Map(failing.registrations.map((registration) => [registration.listenerId, registration]));
  const isStuck = new Set(stuck.map(({ listenerId }) => listenerId));
  const ids = [...new Set([...known.keys(), ...isStuck])].sort().reverse();
  const rest = ids.filter((id) => after === undefined || id < after);
  const part = urlPart?.toLowerCase();
  const hooks: FoundHook[] = [];
  let searched = 0;
  for (; searched < rest.length && hooks.length < limit; searched += limit) {
    const batch = rest.slice(searched, searched + limit);
    const states = await queue.hookStates(batch);
    const found = await Promise.all(batch.map((id) => known.get(id) ?? currentRegistration(readModel, id)));
    for (const registration of found) {
      if (!registration) continue; // removed in the meantime
      const state = states.get(registration.listenerId);
      // A hook that has recovered stays recorded as failing until it is resumed or changed.
      if (!isStuck.has(registration.listenerId) && !state?.health.failing) continue;
      if (hookUrl !== undefined && registration.hookUrl !== hookUrl) continue;
      if (part !== undefined && !registration.hookUrl.toLowerCase().includes(part)) continue;
      hooks.push({ registration, state });
    }
  }
  const page = hooks.slice(0, limit);
  const isLast = searched >= rest.length && hooks.length <= limit;
  const next = isLast ? undefined : page.at(-1)?.registration.listenerId;
  return { hooks: page, next, searched: Math.min(searched, rest.length) };
}
