import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { DomainError } from '../kernel/domain-error.js';
import { uuidV5 } from '../kernel/uuid-v5.js';
import { type Cause, metadataFor } from '../stores/event-store/codec.js';
import { WrongExpectedRevision } from '../stores/event-store/errors.js';
import type { EventStore, JsonObject, NewEvent } from '../stores/event-store/event-store.js';
import type { publishRequest } from './contract.js';
import { flowStream } from './flow-event.js';

/** As `publishRequest` gives it; its organisation is settled by whoever publishes it. */
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

/** Permanent: deliveries are told apart by what is made of it. */
const eventIdOf = uuidV5('2181968a-a1e6-42ed-adcc-294378e5f9dd');

/** The UUID that the event has in the store: the same whenever the organisation publishes under this id. */
export const publishedEventId = (orgId: string, id: string): string => eventIdOf(JSON.stringify([orgId, id]));

/**
 * Appends a flow event to the stream of its flow; resolves with its id and its size once it is durable. Idempotent by organisation and
 * id: the first wins. Published again under another flow, the event stands in both streams under one event ID, and is
 * still delivered once. Throws `FlowEventTooLarge` (`maxBytes` of JSON, all that is recorded of it) and what stores throw.
 */
export async function publishFlowEvent(
  store: EventStore,
  request: PublishFlowEvent,
  options: { readonly orgId: string; readonly cause: Cause; readonly now: Date; readonly maxBytes: number },
): Promise<{ readonly id: string; readonly bytes: number }> {
  const { orgId, cause, now, maxBytes } = options;
  const { id = randomUUID(), flowId = id, occurredAt, type } = request;
  const data = { orgId, id, flowId, ...(occurredAt && { occurredAt }), data: request.data } as JsonObject; // it was JSON
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > maxBytes) throw new FlowEventTooLarge(bytes, maxBytes);

  const event = { id: publishedEventId(orgId, id), type, data, metadata: metadataFor(1, cause, now) };
  await appendOnce(store, flowStream(orgId, flowId), event, { beginsItsFlow: flowId === id });
  return { id, bytes };
}

async function appendOnce(
  store: EventStore,
  stream: string,
  event: NewEvent,
  { beginsItsFlow }: { readonly beginsItsFlow: boolean },
): Promise<void> {
  if (beginsItsFlow) {
    try {
      // Some stores tell a repeat under `any` only for a while, but a repeat of a stream's first event always.
      await store.append(stream, [event], { expectedRevision: 'no-stream' });
      return;
    } catch (error) {
      // Others have named this flow before.
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
  await store.append(stream, [event], { expectedRevision: 'any' });
}
