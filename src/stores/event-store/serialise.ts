import { AppendTooLarge, NotSerialisable } from './errors.js';
import { type JsonObject, maxAppendBytes, type NewEvent } from './event-store.js';

/** `data` and `metadata` are JSON texts. */
export type SerialisedEvent = {
  id: string;
  type: string;
  data: string;
  metadata: string;
};

const streamName = /^[\x20-\x7e]{1,512}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const eventType = /^[^\p{Cc}\p{Cs}]{1,256}$/u;

/** Checks an append before any of it is sent, for every adapter. Throws `NotSerialisable` and `AppendTooLarge`. */
export function serialise(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  if (!streamName.test(stream)) throw new NotSerialisable('a stream name is 1 to 512 printable ASCII characters');
  const serialised = events.map(serialiseEvent);
  const bytes = appendBytesOf(serialised);
  if (bytes > maxAppendBytes) throw new AppendTooLarge(bytes, maxAppendBytes);
  return serialised;
}

/** Data and metadata as UTF-8, types as UTF-16: counts towards `maxAppendBytes`. */
export const appendBytesOf = (events: readonly Omit<SerialisedEvent, 'id'>[]): number =>
  events.reduce(
    (sum, { type, data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * type.length,
    0,
  );

function serialiseEvent({ id, type, data, metadata }: NewEvent): SerialisedEvent {
  if (!eventType.test(type)) throw new NotSerialisable('an event type is 1 to 256 characters, none of them a control');
  const canonicalId = String(id).toLowerCase();
  if (!uuid.test(canonicalId)) throw new NotSerialisable(`the id of a ${type} is not a UUID`);
  return {
    id: canonicalId,
    type,
    data: toJson(data, `the data of a ${type}`),
    metadata: toJson(metadata, `the metadata of a ${type}`),
  };
}

function toJson(value: JsonObject, what: string): string {
  try {
    const json = JSON.stringify(value); // throws on cycles and bigints
    const fault = isPlainObject(value) ? findFault(value) : 'it is not an object';
    if (fault === undefined) return json;
    throw new TypeError(fault);
  } catch (error) {
    throw new NotSerialisable(`${what} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Names a value that `JSON.stringify` would silently omit or convert; `omits`: undefined properties may be omitted. */
export function findFault(value: unknown, omits = false): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `it holds ${value}`;
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value))
    return `it holds ${typeof value === 'object' ? 'an object with its own class' : `a value of type ${typeof value}`}`;
  for (const each of isArray ? value : Object.values(value)) {
    const fault = omits && !isArray && each === undefined ? undefined : findFault(each, omits);
    if (fault) return fault;
  }
  return undefined;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** RFC 8785: properties are sorted by their UTF-16 code units. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const properties = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${properties.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}
