import { DomainError } from '../domain-error.js';
import type { EventOf } from '../event-store/codec.js';
import type { Evolvable, Lifecycle } from '../event-store/handle.js';
import { uuidV5 } from '../uuid-v5.js';
import { type ListenerEvent, type ListenerSubscribed, listenerCodec } from './events.js';

/** A hook's registration: what every listener event says of it. `userId` is who registered it first; a repeat by others changes nothing. */
export type Registration = EventOf<typeof ListenerSubscribed>['data'];

/** A registration that holds. */
export type Standing = {
  readonly state: 'active' | 'paused';
  readonly registration: Registration;
  /** The revision of the event that began the current period (see `events.ts`), and of the last event. */
  readonly since: bigint;
  readonly revision: bigint;
};

/** The one listener of an organisation and a hook URL. */
export type Listener =
  | { readonly state: 'none' }
  | Standing
  | { readonly state: 'unsubscribed'; readonly registration: Registration };

/** This hook has never been registered for this organisation. */
export class ListenerNotFound extends DomainError {
  readonly code = 'listener_not_found';

  constructor() {
    super('this hook is not registered for this organisation');
  }
}

const initialState = (): Listener => ({ state: 'none' });

function evolve(_: Listener, event: Evolvable<ListenerEvent>): Listener {
  const { revision } = event;
  const registration = registrationIn(event);
  switch (event.type) {
    case 'ListenerSubscribed':
    case 'ListenerSubscriptionChanged':
    case 'ListenerResumed':
      return { state: 'active', registration, since: revision, revision };
    case 'ListenerPaused':
      return { state: 'paused', registration, since: revision, revision };
    case 'ListenerSecretRotated': {
      const { paused, since } = event.data;
      return { state: paused ? 'paused' : 'active', registration, since: BigInt(since), revision };
    }
    case 'ListenerUnsubscribed':
      return { state: 'unsubscribed', registration };
  }
}

const registrationIn = ({ data }: ListenerEvent): Registration => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion } = data;
  return { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion };
};

export const listenerLifecycle: Lifecycle<Listener, ListenerEvent> = { codec: listenerCodec, initialState, evolve };

/** Whether a registration holds, paused or not. */
export const isStanding = (listener: Listener): listener is Standing =>
  listener.state === 'active' || listener.state === 'paused';

/** The registration that holds, or the last one that held. Throws `ListenerNotFound` where there never was one. */
export function registrationOf(listener: Listener): Registration {
  if (listener.state === 'none') throw new ListenerNotFound();
  return listener.registration;
}

/** Permanent: the names of streams are made of it. */
const streamId = uuidV5('0c94981c-5853-47e8-8a66-0f341c581254');

/** The stream of an organisation and a hook URL, which must be normalised. */
export const listenerStream = (orgId: string, hookUrl: string): string =>
  // As JSON the two cannot run into each other.
  `listener-${streamId(JSON.stringify([orgId, hookUrl]))}`;
