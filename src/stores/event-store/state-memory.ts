/**
 * States as they were last seen here, so that the next decision on the same stream need not read it. They may have been
 * overtaken: `handle` goes by one only where the append that follows from it proves that it still held.
 */
export type StateMemory<State> = {
  readonly get: (stream: string) => RememberedState<State> | undefined;
  readonly set: (stream: string, remembered: RememberedState<State>) => void;
};

export type RememberedState<State> = { readonly state: State; readonly revision: bigint };

/** Remembers the streams that were used last, that many of them. */
export function stateMemory<State>(maxStreams: number): StateMemory<State> {
  const states = new Map<string, RememberedState<State>>();
  return {
    get: (stream) => states.get(stream),
    set(stream, remembered) {
      states.delete(stream); // so that it becomes the youngest
      states.set(stream, remembered);
      if (states.size <= maxStreams) return;
      const [oldest] = states.keys();
      if (oldest !== undefined) states.delete(oldest);
    },
  };
}
