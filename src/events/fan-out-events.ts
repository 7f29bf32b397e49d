import { z } from 'zod';
import { defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** A queue that does not know this event has lost its data. */
export const FanOutBegan = defineEvent({
  category: 'service',
  type: 'FanOutBegan',
  version: 1,
  schema: z.object({}),
});

export type FanOutEvent = EventOf<typeof FanOutBegan>;

export const fanOutStream = 'service-fan-out';
