import { DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { normalisedHookUrl } from '../hook-url.js';
import { isRegistered, type ListenerDetails, ListenerNotFound, listenerDecider, listenerStream } from '../listener.js';
import type { FindListener } from './find-listener.js';

/** The listener was removed or never registered. */
export class ListenerNotRegistered extends DomainError {
  readonly code = 'listener_not_registered';

  constructor() {
    super('the listener is not registered: nothing is sent to it');
  }
}

/** The listener is paused: deliveries to it would be held. */
export class ListenerIsPaused extends DomainError {
  readonly code = 'listener_paused';

  constructor() {
    super('the listener is paused: resume it first');
  }
}

/** A listener of an organisation, by its ID or its URL. */
export type ChosenListener = {
  orgId: string;
  listenerId?: string;
  hookUrl?: string;
};

/**
 * Returns the active listener, from the event store. Throws `ListenerNotRegistered`, `ListenerIsPaused`,
 * `ListenerNotFound` if no listener of the organisation ever had this ID, and `InvalidRequest`.
 */
export async function deliverableListener(
  { store, findListener }: { store: EventStore; findListener: FindListener },
  { orgId, listenerId, hookUrl }: ChosenListener,
): Promise<ListenerDetails> {
  const url = hookUrl === undefined ? await urlOf(findListener, orgId, listenerId) : normalisedHookUrl(hookUrl);
  const { state } = await load(store, listenerStream(orgId, url), listenerDecider);
  const isChosen = isRegistered(state) && (listenerId === undefined || state.details.listenerId === listenerId);
  if (!isChosen) throw new ListenerNotRegistered();
  if (state.state === 'paused') throw new ListenerIsPaused();
  return state.details;
}

/** Another organisation's listener is treated as one that never existed. */
async function urlOf(findListener: FindListener, orgId: string, listenerId: string | undefined): Promise<string> {
  if (listenerId === undefined) throw new InvalidRequest('listenerId or hookUrl is required');
  const listener = await findListener(listenerId);
  if (listener.orgId !== orgId) throw new ListenerNotFound(listenerId);
  return listener.hookUrl;
}
