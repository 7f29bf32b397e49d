import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** `schema` and `example` are JSON texts. */
const definition = {
  name: z.string(),
  version: z.int().positive(),
  description: z.string(),
  /** JSON Schema draft 2020-12; null: any data. */
  schema: z.string().nullable(),
  example: z.string().nullable(),
  /** Paths of the delivered event: see `searchTermsOf`. */
  searchable: z.array(z.string()),
};

const eventTypeEvent = <const Type extends string>(type: Type) =>
  defineEvent({ category: 'eventType', type, version: 1, schema: z.object(definition) });

const EventTypeDeclared = eventTypeEvent('EventTypeDeclared');
const EventTypeChanged = eventTypeEvent('EventTypeChanged');
/** Declaring the type again continues its versions. */
const EventTypeRetired = eventTypeEvent('EventTypeRetired');

export const eventTypeEvents = [EventTypeDeclared, EventTypeChanged, EventTypeRetired] as const;

export type EventTypeEvent = EventOf<(typeof eventTypeEvents)[number]>;
export type EventTypeDefinition = EventTypeEvent['data'];

export const eventTypeCodec = codecFor(eventTypeEvents);
