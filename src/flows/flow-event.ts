import { z } from 'zod';
import { isReserved } from '../access/reserved-organisation.js';
import { operationsOrganisation } from '../events/operational-events.js';
import { parseJson, withDoubles } from '../kernel/input/exact-json.js';
import { isNestedWithin, maxNesting } from '../kernel/input/nesting.js';
import { opaqueId } from '../kernel/input/texts.js';
import { timestamp } from '../kernel/input/times.js';
import { uuidV5 } from '../kernel/uuid.js';
import { bucketName, bucketOf } from '../stores/event-store/bucket.js';
import { recordedAt } from '../stores/event-store/codec.js';
import { EventUndecodable } from '../stores/event-store/errors.js';
import { traceparentIn } from '../stores/event-store/event-span.js';
import type { Json, JsonObject, RecordedEvent, StreamReader } from '../stores/event-store/event-store.js';
import { undecodableReason } from './undecodable-reason.js';

export type FlowEvent = {
  /** The producer's. */
  id: string;
  /** The store's; identifies deliveries, because producers that append by themselves may repeat an `id`. */
  eventId: string;
  orgId: string;
  flowId: string;
  type: string;
  /** ISO 8601: `occurredAt`, else `recordedAt`. */
  timestamp: string;
  recordedAt: string;
  /** Data with doubles, for computing. */
  data: Json;
  /** `data` as JSON, where doubles do not keep the digits of its numbers. */
  dataText?: string;
  /** W3C Trace Context. */
  traceparent?: string;
  /** Made by the service: see `operationalTypes`. */
  isOperational?: true;
};

/** The body of a delivery. `data` may hold raw numbers: see `parseJson`. */
export type Payload = Pick<FlowEvent, 'id' | 'type' | 'timestamp' | 'orgId' | 'flowId'> & { data: unknown };

export type PayloadSource = Omit<FlowEvent, 'eventId' | 'recordedAt' | 'traceparent'>;

/** Payload for filters, which compute with doubles. */
export const payloadOf = ({ id, type, timestamp, orgId, flowId, data }: PayloadSource): Payload => ({
  id,
  type,
  timestamp,
  orgId,
  flowId,
  data,
});

/** The payload as it is sent: made once, so that every listener and attempt gets the same bytes. */
export function bodyOf(event: PayloadSource): string {
  if (event.dataText === undefined) return JSON.stringify(payloadOf(event));
  const { data: _, ...envelope } = payloadOf(event);
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${event.dataText}}`;
}

/** Payload for an answer: `JSON.stringify` makes the body of it. */
export const shownPayloadOf = (event: PayloadSource): Payload => ({ ...payloadOf(event), data: shownData(event) });

export const shownData = ({ data, dataText }: Pick<PayloadSource, 'data' | 'dataText'>): unknown =>
  dataText === undefined ? data : parseJson(dataText);

/** The data of an event as it is recorded. `dataText` is in the metadata, where earlier releases ignore it. */
export function recordedData(sent: unknown): { data: Json; dataText?: string } {
  const data = withDoubles(sent) as Json; // it was parsed from JSON
  return data === sent ? { data } : { data, dataText: JSON.stringify(sent) };
}

/** Undefined too for a text of other data: producers that append by themselves may copy the metadata of another event. */
function dataTextIn({ metadata }: RecordedEvent, data: Json): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('dataText' in metadata)) return undefined;
  const { dataText } = metadata;
  if (typeof dataText !== 'string') return undefined;
  try {
    return isTextOf(dataText, JSON.stringify(data)) ? dataText : undefined;
  } catch {
    return undefined;
  }
}

const isTextOf = (text: string, data: string): boolean =>
  JSON.stringify(JSON.parse(text)) === data || JSON.stringify(withDoubles(parseJson(text))) === data; // without a detour, unless it holds 1e400

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('f198ffa4-d3e7-42d4-977c-6b0525bfd2f5');

export const flowStream = (orgId: string, flowId: string): string =>
  // The bucket lets an instance read only the events of its organisations; JSON separates the two values unambiguously.
  `flow-${bucketName(bucketOf(orgId))}.${streamId(JSON.stringify([orgId, flowId]))}`;

/** Null is absent: serialisers of C#, Java and Go write unset properties so. */
const envelopeSchema = z.object({
  orgId: opaqueId,
  id: opaqueId.nullish().catch(undefined),
  flowId: opaqueId.nullish().catch(undefined),
  occurredAt: timestamp.nullish(),
});
type Envelope = z.output<typeof envelopeSchema>;

/**
 * Decodes a recorded event. Instead of a missing `id`, `flowId` or `occurredAt`: its UUID, the stream's name after
 * `flow-`, `recordedAt`. Other fields are delivered, as are an `id` and a `flowId` that are not valid; of a lone `data` its
 * value. Throws `EventUndecodable` without a valid `orgId`, with an `occurredAt` that is no time, in the reserved organisation
 * unless the service published it, or if nested too deep.
 */
export function readFlowEvent(recorded: RecordedEvent): FlowEvent {
  const { success, data: envelope } = envelopeSchema.safeParse(recorded.data);
  if (!success) throw new EventUndecodable(recorded, undecodableReason(recorded.data));
  if (isReserved(envelope.orgId) && !isOperational(recorded)) {
    throw new EventUndecodable(
      recorded,
      `the organisation ${envelope.orgId} is reserved for the events of the service`,
    );
  }
  const data = deliveredData(recorded.data as JsonObject, envelope); // the schema requires an object
  if (!isNestedWithin(maxNesting, data)) {
    throw new EventUndecodable(recorded, `its data is nested more than ${maxNesting} levels deep`);
  }
  const at = recordedAt(recorded);
  const dataText = dataTextIn(recorded, data);
  const traceparent = traceparentIn(recorded.metadata);
  return {
    id: envelope.id ?? recorded.id,
    eventId: recorded.id,
    orgId: envelope.orgId,
    flowId: envelope.flowId ?? (recorded.stream.slice('flow-'.length) || recorded.stream),
    type: recorded.type,
    timestamp: envelope.occurredAt ?? at,
    recordedAt: at,
    data,
    ...(dataText !== undefined && { dataText }),
    ...(traceparent !== undefined && { traceparent }),
    ...(isOperational(recorded) && { isOperational: true }),
  };
}

/** Mark in the metadata, which producers cannot set over HTTP. */
const isOperational = ({ metadata }: RecordedEvent): boolean =>
  typeof metadata === 'object' && metadata !== null && 'operational' in metadata && metadata.operational === true;

const concernedFlow = 'organisation:';

/** The flow of the operational events for operators that are about an organisation. */
export const flowAbout = (orgId: string): string => `${concernedFlow}${orgId}`;

/** The organisation with which an event is erased: operational events for operators are erased with the one that they are about. */
export const concernedOrganisation = ({ orgId, flowId }: { orgId?: unknown; flowId?: unknown }) =>
  orgId === operationsOrganisation && typeof flowId === 'string' && flowId.startsWith(concernedFlow)
    ? flowId.slice(concernedFlow.length)
    : orgId;

function deliveredData(recorded: JsonObject, envelope: Envelope): Json {
  const envelopeFields = new Set(
    Object.entries(envelope).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  );
  const rest = Object.entries(recorded).filter(([name]) => !envelopeFields.has(name));
  const [first] = rest;
  return rest.length === 1 && first?.[0] === 'data' ? first[1] : Object.fromEntries(rest);
}

const namingOrganisation = z.looseObject({ orgId: opaqueId });

/**
 * Data of the first event of a stream that names an organisation, which later events must share. Not needed where the
 * stream is `flowStream` of the event's own organisation and flow. Throws `StreamNotFound`.
 */
export async function firstToNameOrganisation(
  store: StreamReader,
  stream: string,
): Promise<z.output<typeof namingOrganisation> | undefined> {
  // Of nearly all streams the first event, for which no page is read.
  for (const range of [{ limit: 1 }, {}]) {
    for await (const { data } of store.readStream(stream, range)) {
      const naming = namingOrganisation.safeParse(data);
      if (naming.success) return naming.data;
    }
  }
  return undefined;
}
