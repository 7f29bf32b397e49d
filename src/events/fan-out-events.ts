import { z } from 'zod';
import { defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** The fan-out has begun for the first time: from here on, a queue without this beginning has lost its data. */
export const FanOutBegan = defineEvent({
  category: 'service',
  type: 'FanOutBegan',
  version: 1,
  schema: z.object({}),
});

export type FanOutEvent = EventOf<typeof FanOutBegan>;

export const fanOutStream = 'service-fan-out';
