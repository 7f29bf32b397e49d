import { FanOutBegan, type FanOutEvent } from '../../events/fan-out-events.js';
import { codecFor } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

export type FanOutHistory = { readonly begun: boolean };

export const fanOutDecider: Decider<FanOutHistory, FanOutEvent> = {
  codec: codecFor([FanOutBegan]),
  initialState: () => ({ begun: false }),
  evolve: () => ({ begun: true }),
};

export const beginFanOut = ({ begun }: FanOutHistory): FanOutEvent[] =>
  begun ? [] : [{ type: 'FanOutBegan', data: {} }];
