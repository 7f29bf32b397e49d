import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../event-store/codec.js';
import type { Lifecycle } from '../event-store/handle.js';

/** The fan-out has begun for the first time: from here on, a queue that knows of no beginning has been lost. */
export const FanOutBegan = defineEvent({
  category: 'service',
  type: 'FanOutBegan',
  version: 1,
  schema: z.object({}),
});

export type FanOutEvent = EventOf<typeof FanOutBegan>;

export const fanOutStream = 'service-fan-out';

export type FanOutHistory = { readonly begun: boolean };

export const fanOutLifecycle: Lifecycle<FanOutHistory, FanOutEvent> = {
  codec: codecFor([FanOutBegan]),
  initialState: () => ({ begun: false }),
  evolve: () => ({ begun: true }),
};

export const beginFanOut = ({ begun }: FanOutHistory): FanOutEvent[] =>
  begun ? [] : [{ type: 'FanOutBegan', data: {} }];
