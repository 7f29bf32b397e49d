import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { DomainError } from '../kernel/domain-error.js';
import { uuidV5 } from '../kernel/uuid-v5.js';
import { type Cause, metadataFor } from '../stores/event-store/codec.js';
import type { EventForStream, EventStore, JsonObject } from '../stores/event-store/event-store.js';
import type { publishRequest } from './contract.js';
import { flowStream } from './flow-event.js';

/** A parsed `publishRequest`; the caller determines the organisation. */
export type PublishFlowEvent = Omit<z.output<typeof publishRequest>, 'orgId'> & {
  /** Attributes of the CloudEvent that it was sent as: kept in the metadata, not delivered. */
  readonly cloudEvent?: JsonObject;
};

export class FlowEventTooLarge extends DomainError {
  readonly code = 'payload_too_large';

  constructor(
    readonly bytes: number,
    readonly maxBytes: number,
  ) {
    super(`a flow event of ${bytes} bytes is over the limit of ${maxBytes} bytes`);
  }
}

/** Permanent: the derived ids identify deliveries. */
const eventIdOf = uuidV5('2181968a-a1e6-42ed-adcc-294378e5f9dd');

/** The UUID of the event in the store: the same for each publication of an organisation with this id. */
export const publishedEventId = (orgId: string, id: string): string => eventIdOf(JSON.stringify([orgId, id]));

type PublishOptions = {
  readonly orgId: string;
  readonly cause: Cause;
  readonly now: Date;
  /** Maximum size of the recorded JSON. */
  readonly maxBytes: number;
};

/** A flow event that is ready to be appended. `bytes`: its size as JSON. */
export type NewFlowEvent = EventForStream & { readonly id: string; readonly bytes: number };

/** The recorded form of a published flow event. Throws `FlowEventTooLarge`. */
export function newFlowEvent(
  { id = randomUUID(), flowId = id, occurredAt, type, data, cloudEvent }: PublishFlowEvent,
  { orgId, cause, now, maxBytes }: PublishOptions,
): NewFlowEvent {
  const recorded = { orgId, id, flowId, ...(occurredAt && { occurredAt }), data } as JsonObject; // the request was parsed from JSON
  const bytes = bytesOf(recorded) + (cloudEvent ? bytesOf(cloudEvent) : 0);
  if (bytes > maxBytes) throw new FlowEventTooLarge(bytes, maxBytes);
  const metadata = { ...metadataFor(1, cause, now), ...(cloudEvent && { cloudEvent }) };
  return {
    id,
    bytes,
    stream: flowStream(orgId, flowId),
    event: { id: publishedEventId(orgId, id), type, data: recorded, metadata },
    startsStream: flowId === id,
  };
}

const bytesOf = (json: JsonObject): number => Buffer.byteLength(JSON.stringify(json));

/**
 * Appends a flow event to the stream of its flow; resolves with its id and its size once it is durable. Idempotent by
 * organisation and id: the first event is kept. Published again with another flow, the event is in both streams with the same
 * event ID, and is still delivered once. Throws `FlowEventTooLarge` and the store's errors.
 */
export async function publishFlowEvent(
  store: Pick<EventStore, 'appendEach'>,
  request: PublishFlowEvent,
  options: PublishOptions,
): Promise<{ readonly id: string; readonly bytes: number }> {
  const event = newFlowEvent(request, options);
  await store.appendEach([event]);
  return event;
}
