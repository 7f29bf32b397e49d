import { apiKeyStream } from '../../src/access/api-keys/api-key.js';
import { consentStream } from '../../src/access/consents/consent.js';
import { sessionStream } from '../../src/access/tokens/session.js';
import { type ApiKeyEvent, apiKeyCodec } from '../../src/events/api-key-events.js';
import { type ConsentEvent, consentCodec } from '../../src/events/consent-events.js';
import { type IntegrationTaskEvent, integrationTaskCodec } from '../../src/events/integration-task-events.js';
import { type ListenerEvent, listenerCodec } from '../../src/events/listener-events.js';
import { type OrganisationEvent, organisationCodec } from '../../src/events/organisation-events.js';
import { type SessionEvent, sessionCodec } from '../../src/events/session-events.js';
import { integrationTaskStream } from '../../src/listeners/integration-task.js';
import { listenerStream } from '../../src/listeners/listener.js';
import { organisationStream } from '../../src/listeners/organisation-settings.js';
import { type Codec, type DomainEvent, metadataFor } from '../../src/stores/event-store/codec.js';
import type { AppendResult, EventStore } from '../../src/stores/event-store/event-store.js';

/** A time in January 2026. */
export const day = (number: number): Date => new Date(Date.UTC(2026, 0, number));

type Recording = { at: Date; actor?: string };

const correlationId = 'request-1';

const append = <Event extends DomainEvent>(
  store: EventStore,
  stream: string,
  codec: Codec<Event>,
  event: Event,
  { at, actor = 'user:user-1' }: Recording,
): Promise<AppendResult> => store.append(stream, [codec.encode(event, { actor, correlationId }, at)]);

// Appends an event to the stream that it belongs to, as if it had been recorded then.

export const appendListenerEvent = (store: EventStore, event: ListenerEvent, recording: Recording) =>
  append(store, listenerStream(event.data.orgId, event.data.hookUrl), listenerCodec, event, recording);

export const appendSessionEvent = (store: EventStore, event: SessionEvent, recording: Recording) =>
  append(store, sessionStream(event.data.sessionId), sessionCodec, event, recording);

export const appendApiKeyEvent = (store: EventStore, event: ApiKeyEvent, recording: Recording) =>
  append(store, apiKeyStream(event.data.apiKeyId), apiKeyCodec, event, recording);
export const appendConsentEvent = (store: EventStore, event: ConsentEvent, recording: Recording) =>
  append(store, consentStream(event.data.consentId), consentCodec, event, recording);

export const appendTaskEvent = (store: EventStore, event: IntegrationTaskEvent, recording: Recording) =>
  append(store, integrationTaskStream(event.data.orgId), integrationTaskCodec, event, recording);

export const appendOrganisationEvent = (store: EventStore, event: OrganisationEvent, recording: Recording) =>
  append(store, organisationStream(event.data.orgId), organisationCodec, event, recording);

/** A listener event that a later release has written, of which this one knows nothing. */
export const appendFutureListenerEvent = (store: EventStore, event: ListenerEvent, { at }: Recording) =>
  store.append(listenerStream(event.data.orgId, event.data.hookUrl), [
    {
      ...listenerCodec.encode(event, { actor: 'user:user-1', correlationId }, at),
      metadata: metadataFor(99, { actor: 'user:user-1', correlationId }, at),
    },
  ]);
