import type { AttemptObserver } from '../deliveries/worker/worker-settings.js';

/** A number that several threads share: of the deliveries enqueued, less those attempted. */
export type DispatcherBacklog = Int32Array<SharedArrayBuffer>;

export const newBacklog = (): DispatcherBacklog => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Counts the backlog of a dispatcher. Deliveries that end without an attempt (cancelled ones) and those enqueued by others make it
 * inexact over time: only its changes within a short time tell something.
 */
export const countBacklog = (backlog: DispatcherBacklog): Required<AttemptObserver> => ({
  onEnqueued: (added) => void Atomics.add(backlog, 0, added),
  onAttempted({ attempt }, { kind }) {
    if (attempt === 1 && kind !== 'released') Atomics.sub(backlog, 0, 1);
  },
});
