import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { Cause, Codec, DomainEvent } from './codec.js';
import { WrongExpectedRevision } from './errors.js';
import type { EventStore, ExpectedRevision, StreamReader } from './event-store.js';
import { readLast } from './read-if-exists.js';

export type Evolvable<Event extends DomainEvent> = Event & { revision: bigint };

/**
 * Each event carries all that the next decision needs: `evolve` returns the same state from the last event alone as
 * from the whole stream.
 */
export type Decider<State, Event extends DomainEvent> = {
  codec: Codec<Event>;
  initialState: () => State;
  evolve: (state: State, event: Evolvable<Event>) => State;
};

export type Handled<State, Event extends DomainEvent> = {
  state: State;
  /** Empty where the decision changed nothing. */
  events: readonly Event[];
  /** Position of the last appended event; undefined where none was appended. */
  position: bigint | undefined;
};

const attempts = 20;

/** Reads one event, whatever the stream's length. */
export async function load<State, Event extends DomainEvent>(
  store: StreamReader,
  stream: string,
  { codec, initialState, evolve }: Decider<State, Event>,
): Promise<{ state: State; revision: ExpectedRevision }> {
  const last = await readLast(store, stream);
  if (!last) return { state: initialState(), revision: 'no-stream' };
  return { state: evolve(initialState(), codec.decode(last)), revision: last.revision };
}

/**
 * Load, decide, append; again after a conflict. With a state in `memory`, the first try decides on that without reading;
 * if that appends nothing or throws, the stored state decides. So `decide` is pure, and may be called twice in the first
 * try. Throws its error, and `StoreUnavailable` after 20 conflicts.
 */
export async function handle<State, Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  decider: Decider<State, Event>,
  decide: (state: State) => readonly Event[],
  { cause, now, memory }: { cause: Cause; now: Date; memory?: StateMemory<State> },
): Promise<Handled<State, Event>> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const remembered = attempt === 1 ? decideFromMemory(memory?.get(stream), decide) : undefined;
    const { state, revision } = remembered ?? (await load(store, stream, decider));
    const events = remembered?.events ?? decide(state);
    if (events.length === 0) return { state, events, position: undefined };
    const encoded = events.map((event) => decider.codec.encode(event, cause, now));
    try {
      const appended = await store.append(stream, encoded, { expectedRevision: revision });
      // A stream that was deleted and created again may continue with its revisions.
      const before = appended.revision - BigInt(events.length);
      const next = fold(decider, events, { state, revision: before });
      memory?.set(stream, { state: next, revision: appended.revision });
      return { state: next, events, position: appended.position };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      await pause(Math.random() * attempt * 5);
    }
  }
  throw new StoreUnavailable(`too many concurrent writers to ${stream}`, { retryAfterMs: 1000 });
}

/** Undefined where no event would be appended: no append would prove that the remembered state is current. */
function decideFromMemory<State, Event extends DomainEvent>(
  remembered: RememberedState<State> | undefined,
  decide: (state: State) => readonly Event[],
): (RememberedState<State> & { events: readonly Event[] }) | undefined {
  if (!remembered) return undefined;
  try {
    const events = decide(remembered.state);
    return events.length > 0 ? { events, ...remembered } : undefined;
  } catch {
    return undefined; // a refusal may be due to an outdated state: the stored state decides
  }
}

/** `revision` is that of the given state. */
export function fold<State, Event extends DomainEvent>(
  { evolve }: Pick<Decider<State, Event>, 'evolve'>,
  events: readonly Event[],
  from: { state: State; revision: ExpectedRevision },
): State {
  const first = typeof from.revision === 'bigint' ? from.revision + 1n : 0n;
  return events.reduce(
    (state, event, index) => evolve(state, { revision: first + BigInt(index), ...event }),
    from.state,
  );
}

/** States may be outdated: `handle` uses one only where the append that follows proves that it was current. */
export type StateMemory<State> = {
  get: (stream: string) => RememberedState<State> | undefined;
  set: (stream: string, remembered: RememberedState<State>) => void;
};

export type RememberedState<State> = { state: State; revision: bigint };

export const stateMemory = <State>(maxStreams: number): StateMemory<State> =>
  new LRUCache<string, RememberedState<State>>({ max: maxStreams });
