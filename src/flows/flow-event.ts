import { z } from 'zod';
import { opaqueId } from '../kernel/opaque-id.js';
import { uuidV5 } from '../kernel/uuid-v5.js';
import { recordedAt } from '../stores/event-store/codec.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import type { EventStore, Json, JsonObject, RecordedEvent } from '../stores/event-store/event-store.js';
import { timestamp } from './contract.js';
import { isNestedWithin, maxNesting } from './nesting.js';

/** A flow event, whoever wrote it. */
export type FlowEvent = {
  /** The producer's id, for who receives it. */
  readonly id: string;
  /** The store's UUID: deliveries are told apart by it, for a producer of its own may use an `id` more than once. */
  readonly eventId: string;
  readonly orgId: string;
  readonly flowId: string;
  readonly type: string;
  /** ISO 8601: `occurredAt`, else `recordedAt`. */
  readonly timestamp: string;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly data: Json;
};

/** Permanent: the names of streams are made of it. */
const streamId = uuidV5('f198ffa4-d3e7-42d4-977c-6b0525bfd2f5');

/** The stream that publishing chooses for a flow. */
export const flowStream = (orgId: string, flowId: string): string =>
  // As JSON the two cannot run into each other.
  `flow-${streamId(JSON.stringify([orgId, flowId]))}`;

const envelopeSchema = z.object({
  orgId: opaqueId,
  id: opaqueId.optional().catch(undefined),
  flowId: opaqueId.optional().catch(undefined),
  occurredAt: timestamp.optional().catch(undefined),
});
type Envelope = z.output<typeof envelopeSchema>;

/**
 * A recorded event of a `flow-…` stream as a flow event. Producers that append by themselves need `orgId` in the data, and
 * may have `id`, `flowId` and `occurredAt` there; where one of these is missing or no such thing, the event's UUID, the
 * stream's name after `flow-` and `recordedAt` stand in. What is left of the data is delivered; where only `data` is left,
 * what that holds.
 *
 * Throws `EventUndecodable` where there is no `orgId`, or what is there cannot be delivered.
 */
export function readFlowEvent(recorded: RecordedEvent): FlowEvent {
  const { success, data: envelope } = envelopeSchema.safeParse(recorded.data);
  if (!success) throw new EventUndecodable(recorded, 'its data has no orgId of 1 to 256 printable characters');
  const data = payloadOf(recorded.data as JsonObject, envelope); // the schema has seen an object, and stores keep JSON
  if (!isNestedWithin(maxNesting, data)) {
    throw new EventUndecodable(recorded, `its data is nested more than ${maxNesting} levels deep`);
  }
  const at = recordedAt(recorded);
  return {
    id: envelope.id ?? recorded.id,
    eventId: recorded.id,
    orgId: envelope.orgId,
    flowId: envelope.flowId ?? recorded.stream.slice('flow-'.length),
    type: recorded.type,
    timestamp: envelope.occurredAt ?? at,
    recordedAt: at,
    data,
  };
}

function payloadOf(recorded: JsonObject, envelope: Envelope): Json {
  const taken = new Set(Object.entries(envelope).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const rest = Object.entries(recorded).filter(([name]) => !taken.has(name));
  const [first] = rest;
  return rest.length === 1 && first?.[0] === 'data' ? first[1] : Object.fromEntries(rest);
}

/**
 * The organisation that the first event of a stream names; undefined where it names none. Later events of the stream may
 * name no other. A stream that `flowStream` gives for an event's own organisation and flow needs no look.
 */
export async function firstOrganisationOf(store: EventStore, stream: string): Promise<string | undefined> {
  for await (const { data } of store.readStream(stream, { limit: 1 }))
    return envelopeSchema.safeParse(data).data?.orgId;
  return undefined;
}
