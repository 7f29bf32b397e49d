import { v7 as timeSortable } from 'uuid';
import { detailsIn, type ListenerDetails, type ListenerEvent, listenerCodec } from '../events/listener-events.js';
import { DomainError } from '../kernel/domain-error.js';
import { uuidV5 } from '../kernel/uuid.js';
import type { Decider, Evolvable } from '../stores/event-store/handle.js';

export type { ListenerDetails };

export type RegisteredListener = {
  state: 'active' | 'paused';
  details: ListenerDetails;
  /** The revisions of the event that began the current period (see `listener-events.ts`), and of the last event. */
  since: bigint;
  revision: bigint;
};

/** State of an organisation's listener at a hook URL. */
export type Listener = { state: 'none' } | RegisteredListener | EndedListener;

export type EndedListener = { state: 'unsubscribed'; details: ListenerDetails; reason: EndReason };

export type EndReason = Extract<ListenerEvent, { type: 'ListenerUnsubscribed' }>['data']['reason'];

/** The organisation has registered nothing at the hook URL, if there is no `listenerId`. */
export class ListenerNotFound extends DomainError {
  readonly code = 'listener_not_found';

  constructor(listenerId?: string) {
    super(
      listenerId === undefined
        ? 'this listener is not registered for this organisation'
        : `no listener with the ID '${listenerId}' is registered`,
    );
  }
}

const initialState = (): Listener => ({ state: 'none' });

function evolve(_: Listener, event: Evolvable<ListenerEvent>): Listener {
  const { revision } = event;
  const details = detailsIn(event.data);
  switch (event.type) {
    case 'ListenerSubscribed':
    case 'ListenerResumed':
      return { state: 'active', details, since: revision, revision };
    case 'ListenerPaused':
      return { state: 'paused', details, since: revision, revision };
    case 'ListenerSubscriptionChanged':
      if (!event.data.paused) return { state: 'active', details, since: revision, revision };
      return { state: 'paused', details, since: BigInt(event.data.since), revision };
    case 'ListenerSecretRotated':
    case 'ListenerRenewed': {
      const { paused, since } = event.data;
      return { state: paused ? 'paused' : 'active', details, since: BigInt(since), revision };
    }
    case 'ListenerFailing':
      return { state: 'active', details, since: BigInt(event.data.since), revision };
    case 'ListenerUnsubscribed':
      return { state: 'unsubscribed', details, reason: event.data.reason };
  }
}

export const listenerDecider: Decider<Listener, ListenerEvent> = { codec: listenerCodec, initialState, evolve };

/** A listener is registered at the hook URL, active or paused. */
export const isRegistered = (listener: Listener): listener is RegisteredListener =>
  listener.state === 'active' || listener.state === 'paused';

/** Throws `ListenerNotFound` if no listener of this ID is registered at the hook URL. */
export function requireRegistered(listener: Listener, listenerId: string): RegisteredListener {
  if (!isRegistered(listener) || listener.details.listenerId !== listenerId) throw new ListenerNotFound(listenerId);
  return listener;
}

/** The current listener, else the last one. Throws `ListenerNotFound` if there never was one. */
export function detailsOf(listener: Listener): ListenerDetails {
  if (listener.state === 'none') throw new ListenerNotFound();
  return listener.details;
}

/**
 * The ID of a new listener: a UUIDv7 (RFC 9562 §5.7), which sorts by creation time. New listeners are therefore
 * adjacent in the indexes of views and queue; with random IDs each would touch another page of every index.
 */
export const newListenerId = (): string => timeSortable();

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('0c94981c-5853-47e8-8a66-0f341c581254');

/** The stream of an organisation and a hook URL, which must be normalised. */
export const listenerStream = (orgId: string, hookUrl: string): string =>
  // JSON separates the two values unambiguously.
  `listener-${streamId(JSON.stringify([orgId, hookUrl]))}`;
