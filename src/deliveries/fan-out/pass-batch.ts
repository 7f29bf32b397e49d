import type { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { checkpointOf, type Partition } from './partitions.js';

/** Enqueues what is gathered of a batch of events, with the checkpoints of the partitions that are concerned. */
export function passBatch({ queue, clock }: FanOutSettings, builder: FanOutBatchBuilder) {
  const concerned = new Set<Partition>();
  /** A part of the batch has been enqueued, with the checkpoints before it. */
  let owesCheckpoint = false;

  async function enqueue(moved: readonly Partition[], isWhole: boolean): Promise<void> {
    const checkpoint = moved.map((partition) =>
      isWhole ? { ...checkpointOf(partition), waiting: partition.waiting.splice(0) } : checkpointOf(partition),
    );
    await queue.enqueue({ ...builder.take(), checkpoint }, clock());
    for (const partition of moved) partition.keptAt = partition.position;
    owesCheckpoint = !isWhole;
  }

  return {
    concerned,
    enqueuePart: () => enqueue([...concerned], false),
    /** Returns whether anything was enqueued. */
    async enqueueRest(): Promise<boolean> {
      const moved = [...concerned];
      const isIdle = builder.isEmpty && !owesCheckpoint && moved.every(({ waiting }) => waiting.length === 0);
      if (!isIdle) await enqueue(moved, true);
      concerned.clear();
      return !isIdle;
    },
    /** Moves the checkpoints of partitions without events too. */
    async keep(partitions: readonly Partition[]): Promise<void> {
      const behind = partitions.filter(({ position, keptAt }) => keptAt < position);
      if (behind.length > 0) await enqueue(behind, true);
    },
  };
}
