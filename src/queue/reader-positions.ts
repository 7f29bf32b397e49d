import type { WaitingEvent } from './delivery.js';

/** Name of the checkpoint up to which the queue may have forgotten flow events: see `ForgetStep`. */
export const forgottenReader = 'forgotten';

/** Name of the checkpoint up to which flow events may have been deleted from the event store because of their age. */
export const retentionReader = 'flow-retention';

/** Checkpoints of the fan-out and of other readers of the history. */
export interface ReaderPositions {
  /**
   * Checkpoints, of those readers that have one. `unwritten`: also those whose deliveries are in memory alone, which a crash sets back; the
   * others are written first. For readers that cannot lose the lease of the fan-out before they have read up to it, or that may repeat.
   */
  positions(readers: readonly string[], options?: { unwritten?: boolean }): Promise<ReadonlyMap<string, bigint>>;
  /**
   * The first waiting event of each organisation, or of one. Waiting events are written before the checkpoint moves past them,
   * and removed with their deliveries: see `FanOutCheckpoint`.
   */
  waiting(readers: readonly string[], orgId?: string): Promise<readonly WaitingEvent[]>;
}

/** The checkpoint of a reader; undefined: it has none. */
export const positionOf = async (
  queue: Pick<ReaderPositions, 'positions'>,
  reader: string,
  options?: { unwritten?: boolean },
): Promise<bigint | undefined> => (await queue.positions([reader], options)).get(reader);
