import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../../kernel/input/defined.js';
import { EventUndecodable, NotSerialisable } from './errors.js';
import { categoryOf, type JsonObject, type NewEvent, type RecordedEvent } from './event-store.js';

type Upcast = (data: JsonObject) => JsonObject;

export type EventDefinition<Type extends string = string, Data = unknown> = {
  category: string;
  type: Type;
  /** Number from 1. */
  version: number;
  schema: z.ZodType<Data>;
  /** `upcasts[n]` turns version n into n + 1; one for each earlier version. */
  upcasts?: Readonly<Record<number, Upcast>>;
};

export const defineEvent = <const Type extends string, Schema extends z.ZodObject>(
  definition: EventDefinition<Type> & { schema: Schema },
): EventDefinition<Type, z.output<Schema>> => definition as EventDefinition<Type, z.output<Schema>>; // the definition has this schema

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? { type: Type; data: Readonly<Data> } : never;

/** `data` is JSON: schemas check it before a write. */
export type DomainEvent = { type: string; data: object };

export type Recorded<Event extends DomainEvent = DomainEvent> = Event & {
  id: string;
  stream: string;
  revision: bigint;
  position: bigint;
  /** ISO 8601. */
  recordedAt: string;
  metadata: JsonObject;
};

export type Cause = {
  /** Actor for readers of the history: `user:42`, `admin:ops`, `service`. Never a secret. */
  actor: string;
  correlationId: string;
  causationId?: string;
  traceparent?: string;
};

const metadataSchema = z.looseObject({
  schemaVersion: z.int().positive().optional(),
  recordedAt: z.iso.datetime({ offset: true }).optional(),
});
const recordedAtSchema = metadataSchema.pick({ recordedAt: true });

export const metadataFor = (schemaVersion: number, cause: Cause, now: Date): JsonObject => ({
  schemaVersion,
  recordedAt: now.toISOString(),
  actor: cause.actor,
  $correlationId: cause.correlationId,
  ...defined({ $causationId: cause.causationId, traceparent: cause.traceparent }),
});

/** Null if the event names none. */
export const actorOf = ({ metadata: { actor } }: Pick<Recorded, 'metadata'>): string | null =>
  typeof actor === 'string' ? actor : null;

/** ISO 8601; `created` if the metadata have no valid time. */
export const recordedAt = ({ metadata, created }: Pick<RecordedEvent, 'metadata' | 'created'>): string =>
  recordedAtSchema.safeParse(metadata).data?.recordedAt ?? created.toISOString();

export type Codec<Event extends DomainEvent> = {
  /** Throws `NotSerialisable` if the event does not match its definition. */
  encode: (event: Event, cause: Cause, now: Date) => NewEvent;
  /**
   * Throws `EventUndecodable` for invalid data, and for unknown types and versions, perhaps of a newer release. A
   * caller that ignores such an event works on an incomplete history.
   */
  decode: (event: RecordedEvent) => Recorded<Event>;
};

export function codecFor<const Definitions extends readonly EventDefinition[]>(
  definitions: Definitions,
): Codec<EventOf<Definitions[number]>> {
  type Event = EventOf<Definitions[number]>;
  const byCategory = new Map<string, Map<string, EventDefinition>>();
  for (const definition of definitions) {
    const types = byCategory.get(definition.category) ?? new Map<string, EventDefinition>();
    byCategory.set(definition.category, types.set(definition.type, definition));
  }
  const byType = new Map<string, EventDefinition>(definitions.map((definition) => [definition.type, definition]));

  return {
    encode(event, cause, now) {
      const definition = byType.get(event.type);
      if (!definition) throw new NotSerialisable(`${event.type} is not an event of this codec`);
      const checked = definition.schema.safeParse(event.data);
      if (!checked.success) throw new NotSerialisable(`${event.type}: ${z.prettifyError(checked.error)}`);
      return {
        id: randomUUID(),
        type: event.type,
        data: checked.data as JsonObject, // our schemas describe JSON; the store refuses anything else
        metadata: metadataFor(definition.version, cause, now),
      };
    },

    decode(event) {
      const definition = byCategory.get(categoryOf(event.stream))?.get(event.type);
      const metadata = metadataSchema.safeParse(event.metadata);
      const version = metadata.data?.schemaVersion ?? 1;
      if (!definition || version > definition.version) {
        throw new EventUndecodable(event, definition ? `version ${version} is not known` : 'its type is not known');
      }
      if (!metadata.success) throw new EventUndecodable(event, 'its metadata is not what was ever written');
      const { id, stream, revision, position, type } = event;
      return {
        type,
        data: upcastAndCheck(definition, version, event),
        id,
        stream,
        revision,
        position,
        recordedAt: metadata.data.recordedAt ?? event.created.toISOString(),
        metadata: metadata.data as JsonObject, // it was parsed from JSON
      } as unknown as Recorded<Event>; // the schema of this type has just accepted the data
    },
  };
}

function upcastAndCheck(definition: EventDefinition, version: number, event: RecordedEvent): unknown {
  let data = event.data as JsonObject; // validated below
  for (let from = version; from < definition.version; from += 1) {
    const upcast = definition.upcasts?.[from];
    if (!upcast) throw new EventUndecodable(event, `no upcast from version ${from} to ${from + 1}`);
    data = upcastOnce(upcast, data, from, event);
  }
  const checked = definition.schema.safeParse(data);
  if (!checked.success) throw new EventUndecodable(event, z.prettifyError(checked.error));
  return checked.data;
}

/** Data that does not match the older version makes the event undecodable. */
function upcastOnce(upcast: Upcast, data: JsonObject, from: number, event: RecordedEvent): JsonObject {
  try {
    return upcast(data);
  } catch (error) {
    throw new EventUndecodable(event, `its data is not that of version ${from}: ${(error as Error).message}`);
  }
}

export const causedByService = (): { cause: Cause; now: Date } => ({
  cause: { actor: 'service', correlationId: randomUUID() },
  now: new Date(),
});
