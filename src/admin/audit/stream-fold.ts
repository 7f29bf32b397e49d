import { apiKeyDecider } from '../../access/api-keys/api-key.js';
import { consentDecider } from '../../access/consents/consent.js';
import { sessionDecider } from '../../access/tokens/session.js';
import { eventTypeDecider } from '../../flows/types/event-type.js';
import { parsedJson } from '../../flows/types/operate-event-types.js';
import { filterObject } from '../../listeners/filters/filter.js';
import { integrationTaskDecider } from '../../listeners/integration-tasks/integration-task.js';
import { isRegistered, listenerDecider } from '../../listeners/listener.js';
import { organisationDecider } from '../../listeners/organisations/organisation-settings.js';
import type { DomainEvent, Recorded } from '../../stores/event-store/codec.js';
import type { JsonObject, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Decider } from '../../stores/event-store/handle.js';

/** The state of a stream as an audit shows it; null where nothing exists. */
export type Facts = JsonObject | null;

type Step = {
  readonly event: Recorded<DomainEvent>;
  readonly before: Facts;
  readonly after: Facts;
};

/** Folds one stream, event by event. `step` throws `EventUndecodable`; the next event can be folded after that. */
export type Fold = { readonly step: (event: RecordedEvent) => Step; readonly facts: () => Facts };

/** The fold of one decider; `factsOf` returns what an audit shows of its state. */
export const audited =
  <State, Event extends DomainEvent>(
    { codec, initialState, evolve }: Decider<State, Event>,
    factsOf: (state: State) => object | null,
  ) =>
  (): Fold => {
    let state = initialState();
    const facts = () => factsOf(state) as Facts; // states are built from events, so they contain JSON only
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

/** The fold of each category for an audit. Fields without use to a reader, such as hashes, are left out. */
const folds = {
  listener: audited(listenerDecider, (listener) =>
    isRegistered(listener)
      ? { state: listener.state, ...listener.details, filter: filterObject(listener.details.filter) }
      : null,
  ),
  integrationTask: audited(integrationTaskDecider, (task) =>
    task.state === 'missing' ? null : { state: task.state, name: task.name },
  ),
  organisation: audited(organisationDecider, (settings) => settings),
  apiKey: audited(apiKeyDecider, (key) => {
    if (key.status === 'none') return null;
    const { status, name, scopes, expiresAt, lastUsedAt } = key;
    return { state: status, name, scopes, expiresAt, lastUsedAt };
  }),
  session: audited(sessionDecider, (session) => {
    if (session.status === 'none') return null;
    const { status, issuedAt, rotatedAt, rotations, clientId } = session;
    return { state: status, issuedAt, rotatedAt, rotations, clientId };
  }),
  consent: audited(consentDecider, (consent) => {
    if (consent.state === 'none') return null;
    const { state, userId, clientId, scopes } = consent;
    return { state, userId, clientId, scopes };
  }),
  eventType: audited(eventTypeDecider, (eventType) => {
    if (eventType.state === 'none') return null;
    const { version, description, schema, example } = eventType.definition;
    return { state: eventType.state, version, description, schema: parsedJson(schema), example: parsedJson(example) };
  }),
};

export type AuditedCategory = keyof typeof folds;

/** An empty fold for one stream of this category. */
export const foldOf = (category: AuditedCategory): Fold => folds[category]();
