import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** The whole definition, so that the last event alone answers every question. Schema and example are JSON texts. */
const definition = {
  /** The type of the flow events: `order.paid`. */
  name: z.string(),
  /** From 1, raised by each change. */
  version: z.int().positive(),
  description: z.string(),
  /** JSON Schema (draft 2020-12) of the events' data; null: any data. */
  schema: z.string().nullable(),
  /** An example of the data; null: none. */
  example: z.string().nullable(),
};

const eventTypeEvent = <const Type extends string>(type: Type) =>
  defineEvent({ category: 'eventType', type, version: 1, schema: z.object(definition) });

const EventTypeDeclared = eventTypeEvent('EventTypeDeclared');
const EventTypeChanged = eventTypeEvent('EventTypeChanged');
/** It is offered and checked no more. Declaring it again continues its versions. */
const EventTypeRetired = eventTypeEvent('EventTypeRetired');

export const eventTypeEvents = [EventTypeDeclared, EventTypeChanged, EventTypeRetired] as const;

export type EventTypeEvent = EventOf<(typeof eventTypeEvents)[number]>;
export type EventTypeDefinition = EventTypeEvent['data'];

export const eventTypeCodec = codecFor(eventTypeEvents);
