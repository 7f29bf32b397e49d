import { DomainError, InvalidRequest } from '../../../kernel/domain-error.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import { load } from '../../../stores/event-store/handle.js';
import { normalisedHookUrl } from '../hook-url.js';
import { isRegistered, ListenerNotFound, listenerLifecycle, listenerStream, type Registration } from '../listener.js';
import type { FindHook } from './find-hook.js';

/** The hook was removed or never registered. */
export class HookNotRegistered extends DomainError {
  readonly code = 'hook_not_registered';

  constructor() {
    super('the hook is not registered: nothing is sent to it');
  }
}

/** The hook is paused: deliveries to it would be held. */
export class HookPaused extends DomainError {
  readonly code = 'hook_paused';

  constructor() {
    super('the hook is paused: resume it first');
  }
}

/** A hook of an organisation, by its ID or its URL. */
export type ChosenHook = {
  readonly orgId: string;
  readonly listenerId?: string | undefined;
  readonly hookUrl?: string | undefined;
};

/**
 * Returns the active registration of a hook, from the event store. Throws `HookNotRegistered`, `HookPaused`,
 * `ListenerNotFound` if no registration of the organisation ever had this ID, and `InvalidRequest`.
 */
export async function deliverableHook(
  { store, findHook }: { readonly store: EventStore; readonly findHook: FindHook },
  { orgId, listenerId, hookUrl }: ChosenHook,
): Promise<Registration> {
  const url = hookUrl === undefined ? await urlOf(findHook, orgId, listenerId) : normalisedHookUrl(hookUrl);
  const { state } = await load(store, listenerStream(orgId, url), listenerLifecycle);
  const isChosen = isRegistered(state) && (listenerId === undefined || state.registration.listenerId === listenerId);
  if (!isChosen) throw new HookNotRegistered();
  if (state.state === 'paused') throw new HookPaused();
  return state.registration;
}

/** Another organisation's registration is treated as one that never existed. */
async function urlOf(findHook: FindHook, orgId: string, listenerId: string | undefined): Promise<string> {
  if (listenerId === undefined) throw new InvalidRequest('listenerId or hookUrl is required');
  const hook = await findHook(listenerId);
  if (hook.orgId !== orgId) throw new ListenerNotFound(listenerId);
  return hook.hookUrl;
}
