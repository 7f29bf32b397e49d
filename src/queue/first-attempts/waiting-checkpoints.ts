import { LeaseLost } from '../../stores/leases/leases.js';
import { type FanOutCheckpoint, isLost } from '../fan-out-batch.js';

/** Latest checkpoints by reader. */
type Checkpoints = ReadonlyMap<string, FanOutCheckpoint>;

/** Checkpoints that wait for deliveries in memory. A reader that has lost its lease keeps none. */
export class WaitingCheckpoints {
  /** `old`: those of the last interval; `young`: all. */
  private old: Checkpoints = new Map();
  private young: Checkpoints = new Map();

  add(checkpoints: readonly FanOutCheckpoint[]): void {
    this.young = latestOf(this.young, new Map(checkpoints.map((each) => [each.reader, each])));
  }

  get all(): readonly FanOutCheckpoint[] {
    return [...latestOf(this.old, this.young).values()];
  }

  get ofLastInterval(): readonly FanOutCheckpoint[] {
    return [...this.old.values()];
  }

  /** Makes the checkpoints that were added before those of the last interval. */
  grow(before: readonly FanOutCheckpoint[]): void {
    this.old = latestOf(this.old, new Map(before.map((each) => [each.reader, each])));
  }

  /** Later ones stay. */
  forget(moved: readonly FanOutCheckpoint[]): void {
    if (moved.length === 0) return;
    this.old = withoutMoved(this.old, moved);
    this.young = withoutMoved(this.young, moved);
  }
}

export const stillHeld = (checkpoints: readonly FanOutCheckpoint[]): readonly FanOutCheckpoint[] =>
  checkpoints.filter(({ lease }) => !lease || !isLost(lease));

/** Throws `LeaseLost`: deliveries before these checkpoints may have been dropped from memory, so that they may not move. */
export function requireNotLost(checkpoints: readonly FanOutCheckpoint[]): void {
  for (const { reader, lease, term = 0n } of checkpoints) if (lease && isLost(lease)) throw new LeaseLost(reader, term);
}

/** A part of a batch keeps the terms of its readers, and their positions as they are. */
export const unmoved = (checkpoint: FanOutCheckpoint): FanOutCheckpoint => ({ ...checkpoint, position: -1n });

function latestOf(one: Checkpoints, other: Checkpoints): Checkpoints {
  const later = [...other].filter(([reader, { position }]) => position >= (one.get(reader)?.position ?? -1n));
  return new Map([...one, ...later]);
}

function withoutMoved(checkpoints: Checkpoints, moved: readonly FanOutCheckpoint[]): Checkpoints {
  const upTo = new Map(moved.map(({ reader, position }) => [reader, position]));
  return new Map([...checkpoints].filter(([reader, { position }]) => position > (upTo.get(reader) ?? -1n)));
}
