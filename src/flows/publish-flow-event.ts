import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { notReserved } from '../access/reserved-organisation.js';
import { DomainError } from '../kernel/domain-error.js';
import { defined } from '../kernel/input/defined.js';
import { uuidV5 } from '../kernel/uuid.js';
import { type Cause, metadataFor } from '../stores/event-store/codec.js';
import type { EventForStream, EventStore, Json, JsonObject } from '../stores/event-store/event-store.js';
import type { publishRequest } from './contract.js';
import { flowStream, recordedData } from './flow-event.js';
import { differingEvents } from './repeated-event.js';

export type PublishFlowEvent = Omit<z.output<typeof publishRequest>, 'orgId'> & {
  /** Attributes of the CloudEvent that was sent; kept in the metadata, not delivered. */
  cloudEvent?: JsonObject;
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

export const publishedEventId = (orgId: string, id: string): string => eventIdOf(JSON.stringify([orgId, id]));

type PublishOptions = {
  orgId: string;
  cause: Cause;
  now: Date;
  maxBytes: number;
  operational?: true;
};

/** `bytes`: size as JSON. */
export type NewFlowEvent = EventForStream & { id: string; bytes: number };

/** Throws `FlowEventTooLarge`, and `Forbidden` in the reserved organisation for events other than those of the service. */
export function newFlowEvent(
  { id = randomUUID(), flowId = id, occurredAt, type, data, cloudEvent }: PublishFlowEvent,
  { orgId, cause, now, maxBytes, operational }: PublishOptions,
): NewFlowEvent {
  if (!operational) notReserved(orgId);
  const { data: doubles, dataText } = recordedData(data);
  const recorded: JsonObject = { orgId, id, flowId, ...defined({ occurredAt }), data: doubles };
  const bytes = [recorded, cloudEvent, dataText].reduce<number>((sum, part) => sum + (part ? bytesOf(part) : 0), 0);
  if (bytes > maxBytes) throw new FlowEventTooLarge(bytes, maxBytes);
  const metadata = {
    ...metadataFor(1, cause, now),
    ...defined({ cloudEvent, operational, dataText }),
  };
  return {
    id,
    bytes,
    stream: flowStream(orgId, flowId),
    event: { id: publishedEventId(orgId, id), type, data: recorded, metadata },
    startsStream: flowId === id,
  };
}

const bytesOf = (json: Json): number => Buffer.byteLength(JSON.stringify(json));

/**
 * Resolves once durable. Idempotent by organisation and id: the first event is kept; a repeat with another flow is in
 * both streams, but delivered once. `differs`: the first event is known to have another content. Throws the errors of `newFlowEvent` and of the store.
 */
export async function publishFlowEvent(
  store: Pick<EventStore, 'appendEach' | 'readStream'>,
  request: PublishFlowEvent,
  options: PublishOptions,
): Promise<{ id: string; bytes: number; differs: boolean }> {
  const event = newFlowEvent(request, options);
  const known = await store.appendEach([event]);
  const differing = await differingEvents(store, [event], known);
  return { ...event, differs: differing.size > 0 };
}
