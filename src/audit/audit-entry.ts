import { z } from 'zod';
import { apiKeyDecider } from '../access/api-keys/api-key.js';
import { consentDecider } from '../access/consents/consent.js';
import { portalLinkDecider } from '../access/portal/portal-link.js';
import { sessionDecider } from '../access/tokens/session.js';
import { type ForwardingEvent, forwardingCodec } from '../events/forwarding-events.js';
import { importReason } from '../events/imported.js';
import { eventTypeDecider } from '../flows/types/event-type.js';
import { parsedJson } from '../flows/types/operate-event-types.js';
import type { AnswerOf } from '../http/route-contract.js';
import { jsonValue } from '../kernel/input/json-value.js';
import { integrationTaskDecider } from '../listeners/integration-task.js';
import { isRegistered, listenerDecider } from '../listeners/listener.js';
import { organisationDecider } from '../listeners/organisation-settings.js';
import { listenerFacts } from '../listeners/queries/listener-summary.js';
import { type DomainEvent, type Recorded, recordedAt } from '../stores/event-store/codec.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import { categoryOf, type EventStore, type JsonObject, type RecordedEvent } from '../stores/event-store/event-store.js';
import type { Decider } from '../stores/event-store/handle.js';
import { readIfExists } from '../stores/event-store/read-if-exists.js';

const facts = z.record(z.string(), jsonValue).nullable();
const text = z.string().nullable();
const position = z.string().regex(/^\d+$/);

/** Only the position is specific to this store. */
export const auditEntry = z
  .strictObject({
    at: z.string().describe('Time at which the event was recorded.'),
    type: z.string(),
    actor: text.describe('`user:42`, `admin:ops`, `api-key:<ID>`; null where the event names no actor.'),
    actorName: text.describe('The name of the API key that is the actor; null for other actors.'),
    causationId: text,
    correlationId: text.describe('The ID of the request.'),
    orgId: text,
    userId: text,
    listenerId: text,
    hookUrl: text,
    sessionId: text.describe('The session of a user; or of the portal: the ID of the link that opened it.'),
    clientId: text,
    apiKeyId: text,
    eventType: text.describe('The name of the event type that the event concerns.'),
    before: facts.describe('The state before the event; null: nothing existed.'),
    after: facts.describe('The state after the event; null: nothing exists any more.'),
    reason: text,
    undecodable: text.describe('The reason why the event cannot be decoded; null if it can.'),
    stream: z.string(),
    revision: position,
    eventId: z.string(),
    position,
  })
  .meta({ id: 'AuditEntry', description: 'One recorded event.' });

export type AuditEntry = AnswerOf<typeof auditEntry>;

/** Both inclusive. */
export type TimeRange = { from?: Date; to?: Date };

export function isWithin(entry: Pick<AuditEntry, 'at'>, { from, to }: TimeRange): boolean {
  const at = Date.parse(entry.at);
  return !((from && at < from.getTime()) || (to && at > to.getTime()));
}

/** None if the stream does not exist, or was erased since it was found. */
export async function* entriesOf(store: EventStore, stream: string, fold: Fold) {
  for await (const event of readIfExists(store.readStream(stream))) {
    yield { position: event.position, entry: nextEntry(fold, event) };
  }
}

export const nextEntry = (fold: Fold, event: RecordedEvent): AuditEntry => entryOf(event, folded(fold, event));

type Folded = Pick<AuditEntry, 'before' | 'after' | 'undecodable'> & { data: JsonObject };

/** Undecodable events become entries too: they must not hide the others. */
function folded(fold: Fold, event: RecordedEvent): Folded {
  try {
    const step = fold.step(event);
    return { before: step.before, after: step.after, undecodable: null, data: step.event.data as JsonObject };
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    const data = typeof event.data === 'object' && event.data !== null ? (event.data as JsonObject) : {};
    return { before: fold.facts(), after: fold.facts(), undecodable: error.message, data };
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function entryOf(event: RecordedEvent, { data, before, after, undecodable }: Folded): AuditEntry {
  const metadata = (event.metadata ?? {}) as JsonObject; // fields are checked before use
  return {
    at: recordedAt(event),
    type: event.type,
    actor: textOrNull(metadata.actor),
    actorName: null,
    causationId: textOrNull(metadata.$causationId),
    correlationId: textOrNull(metadata.$correlationId),
    orgId: textOrNull(data.orgId),
    userId: textOrNull(data.userId),
    listenerId: textOrNull(data.listenerId),
    hookUrl: textOrNull(data.hookUrl),
    sessionId: textOrNull(data.sessionId) ?? textOrNull(data.linkId),
    clientId: textOrNull(data.clientId),
    apiKeyId: textOrNull(data.apiKeyId),
    eventType: categoryOf(event.stream) === 'eventType' ? textOrNull(data.name) : null,
    before,
    after,
    reason: textOrNull(data.reason) ?? importReason(data) ?? (data.circuitClosed ? 'circuit-closed' : null),
    undecodable,
    stream: event.stream,
    revision: event.revision.toString(),
    eventId: event.id,
    position: event.position.toString(),
  };
}

/** Null: nothing exists. */
export type Facts = JsonObject | null;

type Step = {
  event: Recorded<DomainEvent>;
  before: Facts;
  after: Facts;
};

/** `step` throws `EventUndecodable`; the next event can be folded after that. */
export type Fold = { step: (event: RecordedEvent) => Step; facts: () => Facts };

export const audited =
  <State, Event extends DomainEvent>(
    { codec, initialState, evolve }: Decider<State, Event>,
    factsOf: (state: State) => object | null,
  ) =>
  (): Fold => {
    let state = initialState();
    const facts = () => factsOf(state) as Facts; // built from events: JSON only
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

/** Release 1.0.0 forwarded flow events to command lines, and recorded it. */
const pastForwardings: Decider<object | null, ForwardingEvent> = {
  codec: forwardingCodec,
  initialState: () => null,
  evolve: (_, { type, data: { subscriptionType, until } }) => ({
    state: type === 'ForwardingEnded' ? 'ended' : 'open',
    subscriptionType,
    until,
  }),
};

/** Fields without use to a reader, such as hashes, are left out. */
const folds = {
  listener: audited(listenerDecider, (listener) => {
    if (!isRegistered(listener)) return null;
    const { details, state } = listener;
    return { state, ...listenerFacts(details), keyGeneration: details.secret.keyGeneration };
  }),
  integrationTask: audited(integrationTaskDecider, (task) =>
    task.state === 'missing' ? null : { state: task.state, name: task.name },
  ),
  organisation: audited(organisationDecider, (settings) => settings),
  forwarding: audited(pastForwardings, (facts) => facts),
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
  portal: audited(portalLinkDecider, (link) => {
    if (link.state === 'none') return null;
    const { state, role, actor, expiresAt } = link;
    return { state, role, actor, expiresAt };
  }),
  consent: audited(consentDecider, (consent) => {
    if (consent.state === 'none') return null;
    const { state, userId, clientId, scopes } = consent;
    return { state, userId, clientId, scopes };
  }),
  eventType: audited(eventTypeDecider, (eventType) => {
    if (eventType.state === 'none') return null;
    const { name: _, schema, example, ...definition } = eventType.definition;
    return { state: eventType.state, ...definition, schema: parsedJson(schema), example: parsedJson(example) };
  }),
};

export type AuditedCategory = keyof typeof folds;

export const foldOf = (category: AuditedCategory): Fold => folds[category]();
