import { endOfSession, type SessionExpiry, sessionDecider } from '../../access/tokens/session.js';
import { isExpired } from '../../listeners/agents/agent-subscription.js';
import { isRegistered, listenerDecider } from '../../listeners/listener.js';
import type { DomainEvent } from '../../stores/event-store/codec.js';
import { categoryOf, type EventStore } from '../../stores/event-store/event-store.js';
import { type Decider, load } from '../../stores/event-store/handle.js';

export type DerivedSecret = {
  kind: 'listener' | 'session';
  id: string;
  orgId: string;
  userId: string;
};

type FindDerived = {
  store: EventStore;
  generation: string;
  limits: SessionExpiry;
  now: Date;
  /** Store positions. */
  onScanned?: (position: bigint, head: bigint) => void;
};

/**
 * Includes the previous secrets of listeners. Reads all events, so that no view matters. Throws the errors of the
 * store, and `EventUndecodable`.
 */
export async function* findDerived({
  store,
  generation,
  limits,
  now,
  onScanned = () => undefined,
}: FindDerived): AsyncGenerator<DerivedSecret> {
  const candidates = new Set<string>();
  const head = await store.head();
  for await (const { stream, data, position } of store.readAll({ filter: { categories: ['listener', 'session'] } })) {
    onScanned(position, head);
    if (JSON.stringify(data).includes(JSON.stringify(generation))) candidates.add(stream);
    else candidates.delete(stream); // each event has the whole state
  }
  const find = {
    listener: derivedIn(listenerDecider, (listener) => {
      if (!isRegistered(listener) || isExpired(listener.details, now)) return undefined;
      const { listenerId: id, orgId, userId, secret } = listener.details;
      const isNamed = secret.keyGeneration === generation || isStillUsed(secret.previous, generation, now);
      return isNamed ? { kind: 'listener', id, orgId, userId } : undefined;
    }),
    session: derivedIn(sessionDecider, (session) => {
      if (session.status !== 'active' || endOfSession(session, limits, now) !== undefined) return undefined;
      const { sessionId: id, orgId, userId, keyGeneration } = session;
      return keyGeneration === generation ? { kind: 'session', id, orgId, userId } : undefined;
    }),
  };
  for (const stream of candidates) {
    const found = await find[categoryOf(stream) === 'listener' ? 'listener' : 'session'](store, stream);
    if (found) yield found;
  }
}

const derivedIn =
  <State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    find: (state: State) => DerivedSecret | undefined,
  ) =>
  async (store: EventStore, stream: string): Promise<DerivedSecret | undefined> =>
    find((await load(store, stream, decider)).state);

const isStillUsed = (secret: { keyGeneration: string; until: string } | null, generation: string, now: Date): boolean =>
  secret?.keyGeneration === generation && Date.parse(secret.until) > now.getTime();
