import type { DomainEvent } from './codec.js';
import type { EventStore } from './event-store.js';
import { type Decider, type Handled, load } from './handle.js';

/** Decides and appends: `handle` on a store, with its cause. */
export type Perform = <State, Event extends DomainEvent>(
  stream: string,
  decider: Decider<State, Event>,
  decide: (state: State) => readonly Event[],
) => Promise<Pick<Handled<State, Event>, 'state' | 'events'>>;

/** Decides and appends nothing; once for each stream, as after an append that leaves nothing to decide. */
export function dryRun(store: EventStore): Perform {
  const decided = new Set<string>();
  return async (stream, decider, decide) => {
    const { state } = await load(store, stream, decider);
    const events = decided.has(stream) ? [] : decide(state);
    if (events.length > 0) decided.add(stream);
    return { state, events };
  };
}
