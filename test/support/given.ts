import { expect } from 'chai';
import type { DomainEvent } from '../../src/stores/event-store/codec.js';
import { type Decider, type Evolvable, fold } from '../../src/stores/event-store/handle.js';

/** A command with its decider: what a decision answers to a state. */
export type Decision<State, Event extends DomainEvent> = (state: State) => readonly Event[];

type ErrorClass = abstract new (...args: never[]) => Error;

const someCause = { actor: 'test', correlationId: 'test' };
const someTime = new Date('2026-01-02T03:04:05.678Z');

/**
 * A decision as a specification: `given(decider, history).when(command).then(events)`, or `.thenThrows(ErrorClass)`.
 * Along the way each story holds its decider to what every decider owes: the last event alone gives the same state as the
 * whole stream, and what is decided can be written.
 */
export function given<State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  history: readonly Event[] = [],
) {
  const state = folded(decider, history);
  return {
    /** The state that the history leads to, for assertions about the state. */
    state,
    when: (decide: Decision<State, Event>) => ({
      // biome-ignore lint/suspicious/noThenProperty: a story is never awaited
      then(expected: readonly Event[]): void {
        const events = decide(state);
        expect(events).to.deep.equal(expected);
        for (const event of events) decider.codec.encode(event, someCause, someTime);
        folded(decider, [...history, ...events]);
      },

      thenThrows(errorClass: ErrorClass, message?: string | RegExp): void {
        expect(() => decide(state)).to.throw(errorClass as unknown as new () => Error, message); // chai wants a concrete class
      },
    }),
  };
}

/** The state after these events, from the first one of the stream. Fails where the last event alone gives another one. */
export function folded<State, Event extends DomainEvent>(
  decider: Decider<State, Event>,
  events: readonly Event[],
): State {
  const state = fold(decider, events, { state: decider.initialState(), revision: 'no-stream' });
  const last = events.at(-1);
  if (last) {
    const recorded: Evolvable<Event> = { ...last, revision: BigInt(events.length - 1) };
    expect(decider.evolve(decider.initialState(), recorded), 'the last event alone').to.deep.equal(state);
  }
  return state;
}
