import { sessionStream } from '../../../src/access/tokens/session.js';
import { type IntegrationTaskEvent, integrationTaskCodec } from '../../../src/events/integration-task-events.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { type OrganisationEvent, organisationCodec } from '../../../src/events/organisation-events.js';
import { type SessionEvent, sessionCodec } from '../../../src/events/session-events.js';
import { integrationTaskStream } from '../../../src/registrations/integration-tasks/integration-task.js';
import { listenerStream } from '../../../src/registrations/listeners/listener.js';
import { organisationStream } from '../../../src/registrations/organisations/organisation-settings.js';
import { type Codec, type DomainEvent, metadataFor } from '../../../src/stores/event-store/codec.js';
import type { AppendResult, EventStore } from '../../../src/stores/event-store/event-store.js';

/** A time in January 2026. */
export const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

type Told = { readonly at: Date; readonly actor?: string };

const correlationId = 'request-1';

const append = <Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  codec: Codec<Event>,
  event: Event,
  { at, actor = 'user:user-1' }: Told,
): Promise<AppendResult> => store.append(stream, [codec.encode(event, { actor, correlationId }, at)]);

// Appends an event to the stream that it belongs to, as if it had been recorded then.

export const tellListener = (store: EventStore, event: ListenerEvent, told: Told) =>
  append(store, listenerStream(event.data.orgId, event.data.hookUrl), listenerCodec, event, told);

export const tellSession = (store: EventStore, event: SessionEvent, told: Told) =>
  append(store, sessionStream(event.data.sessionId), sessionCodec, event, told);

export const tellTask = (store: EventStore, event: IntegrationTaskEvent, told: Told) =>
  append(store, integrationTaskStream(event.data.orgId), integrationTaskCodec, event, told);

export const tellOrganisation = (store: EventStore, event: OrganisationEvent, told: Told) =>
  append(store, organisationStream(event.data.orgId), organisationCodec, event, told);

/** A listener event that a later release has written, of which this one knows nothing. */
export const tellFuture = (store: EventStore, event: ListenerEvent, { at }: Told) =>
  store.append(listenerStream(event.data.orgId, event.data.hookUrl), [
    {
      ...listenerCodec.encode(event, { actor: 'user:user-1', correlationId }, at),
      metadata: metadataFor(99, { actor: 'user:user-1', correlationId }, at),
    },
  ]);
