import { LRUCache } from 'lru-cache';

/** States may be outdated: `handle` uses one only where the append that follows proves that it was current. */
export type StateMemory<State> = {
  readonly get: (stream: string) => RememberedState<State> | undefined;
  readonly set: (stream: string, remembered: RememberedState<State>) => void;
};

export type RememberedState<State> = { readonly state: State; readonly revision: bigint };

export const stateMemory = <State>(maxStreams: number): StateMemory<State> =>
  new LRUCache<string, RememberedState<State>>({ max: maxStreams });
