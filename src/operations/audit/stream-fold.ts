import { sessionLifecycle } from '../../access/tokens/session.js';
import { integrationTaskLifecycle } from '../../registrations/integration-tasks/integration-task.js';
import { isStanding, listenerLifecycle } from '../../registrations/listeners/listener.js';
import { organisationLifecycle } from '../../registrations/organisations/organisation-settings.js';
import type { DomainEvent, Recorded } from '../../stores/event-store/codec.js';
import type { JsonObject, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Lifecycle } from '../../stores/event-store/handle.js';

/** What held, as people are shown it; null: nothing did. */
export type Facts = JsonObject | null;

export type Step = {
  readonly event: Recorded<DomainEvent>;
  readonly before: Facts;
  readonly after: Facts;
};

/** Folds one stream, event by event. Throws `EventUndecodable`; it may go on with the next event after that. */
export type Fold = { readonly step: (event: RecordedEvent) => Step; readonly facts: () => Facts };

const audited =
  <State, Event extends DomainEvent>(
    { codec, initialState, evolve }: Lifecycle<State, Event>,
    factsOf: (state: State) => object | null,
  ) =>
  (): Fold => {
    let state = initialState();
    const facts = () => factsOf(state) as Facts; // states are made of events, and hold nothing but JSON
    return {
      facts,
      step(recorded) {
        const event = codec.decode(recorded);
        const before = facts();
        state = evolve(state, event);
        return { event, before, after: facts() };
      },
    };
  };

/** By category: how its streams are folded for an audit. What is of no use to who reads it, such as hashes, is left out. */
const folds = {
  listener: audited(listenerLifecycle, (listener) =>
    isStanding(listener) ? { state: listener.state, ...listener.registration } : null,
  ),
  integrationTask: audited(integrationTaskLifecycle, (task) =>
    task.state === 'missing' ? null : { state: task.state, name: task.name },
  ),
  organisation: audited(organisationLifecycle, (settings) => settings),
  session: audited(sessionLifecycle, (session) => {
    if (session.status === 'none') return null;
    const { status, issuedAt, rotatedAt, rotations } = session;
    return { state: status, issuedAt, rotatedAt, rotations };
  }),
};

export type AuditedCategory = keyof typeof folds;

/** Begins to fold a stream of this category. */
export const foldOf = (category: AuditedCategory): Fold => folds[category]();
