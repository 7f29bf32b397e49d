import { codecFor } from '../event-store/codec.js';
import type { Lifecycle } from '../event-store/handle.js';
import { FanOutBegan, type FanOutEvent } from './fan-out-events.js';

export type FanOutHistory = { readonly begun: boolean };

export const fanOutLifecycle: Lifecycle<FanOutHistory, FanOutEvent> = {
  codec: codecFor([FanOutBegan]),
  initialState: () => ({ begun: false }),
  evolve: () => ({ begun: true }),
};

export const beginFanOut = ({ begun }: FanOutHistory): FanOutEvent[] =>
  begun ? [] : [{ type: 'FanOutBegan', data: {} }];
