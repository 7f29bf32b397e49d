import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { DomainError } from '../kernel/domain-error.js';
import { uuidV5 } from '../kernel/uuid-v5.js';
import { type Cause, metadataFor } from '../stores/event-store/codec.js';
import { WrongExpectedRevision } from '../stores/event-store/errors.js';
import type { EventStore, JsonObject, NewEvent } from '../stores/event-store/event-store.js';
import type { publishRequest } from './contract.js';
import { flowStream } from './flow-event.js';

/** A parsed `publishRequest`; the caller determines the organisation. */
export type PublishFlowEvent = Omit<z.output<typeof publishRequest>, 'orgId'>;

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

/**
 * Appends a flow event to the stream of its flow; resolves with its id and its size once it is durable. Idempotent by
 * organisation and id: the first event is kept. Published again with another flow, the event is in both streams with the same
 * event ID, and is still delivered once. Throws `FlowEventTooLarge` (`maxBytes`: of the recorded JSON) and the store's errors.
 */
export async function publishFlowEvent(
  store: EventStore,
  request: PublishFlowEvent,
  options: { readonly orgId: string; readonly cause: Cause; readonly now: Date; readonly maxBytes: number },
): Promise<{ readonly id: string; readonly bytes: number }> {
  const { orgId, cause, now, maxBytes } = options;
  const { id = randomUUID(), flowId = id, occurredAt, type } = request;
  const data = { orgId, id, flowId, ...(occurredAt && { occurredAt }), data: request.data } as JsonObject; // the request was parsed from JSON
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > maxBytes) throw new FlowEventTooLarge(bytes, maxBytes);

  const event = { id: publishedEventId(orgId, id), type, data, metadata: metadataFor(1, cause, now) };
  await appendOnce(store, flowStream(orgId, flowId), event, { isFirstOfFlow: flowId === id });
  return { id, bytes };
}

async function appendOnce(
  store: EventStore,
  stream: string,
  event: NewEvent,
  { isFirstOfFlow }: { readonly isFirstOfFlow: boolean },
): Promise<void> {
  if (isFirstOfFlow) {
    try {
      // Some stores recognise a repeat with `any` only for a limited time, but a repeat of a stream's first event always.
      await store.append(stream, [event], { expectedRevision: 'no-stream' });
      return;
    } catch (error) {
      // The flow has other events already.
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
  await store.append(stream, [event], { expectedRevision: 'any' });
}
