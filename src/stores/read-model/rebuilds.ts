import type { BuildName } from './build-name.js';
import type { Projection } from './projection.js';

/** The process that rebuilds a view. */
export type RebuildHolder = {
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
};

/** Comparing comes only where it was asked for. */
export type RebuildPhase = 'loading' | 'indexing' | 'catching up' | 'verifying' | 'done';

export type RebuildProgress = {
  readonly phase: RebuildPhase;
  /** Handled by the one who rebuilds it now, of those of the projection's categories. */
  readonly events: number;
  readonly perSecond: number;
  /** Everything up to here, inclusive, is in the build. */
  readonly position: bigint;
  /** Where the store ended when the rebuild last looked. */
  readonly head: bigint;
};

/** A rebuild that is under way, or was left unfinished. */
export type RebuildRecord = {
  readonly build: BuildName | undefined;
  /** Undefined where nobody works on it: the next rebuild goes on with it. */
  readonly holder: RebuildHolder | undefined;
  readonly cancelled: boolean;
  /** As it was noted last. */
  readonly progress: RebuildProgress | undefined;
};

/** The right to rebuild a view, which nobody else has. It ends with the process at the latest. */
export type RebuildClaim = {
  /** What was left unfinished, by whoever was stopped or died. */
  readonly left: Pick<RebuildRecord, 'build' | 'cancelled'> | undefined;
  /** Notes which build is made. */
  begin(build: BuildName): Promise<void>;
  /** Notes how far it is. Errors: `RebuildCancelled`; `RebuildTakenOver` where this process was taken for dead. */
  note(progress: RebuildProgress): Promise<void>;
  /** Gives it back, so that the next one goes on with the build. */
  release(): Promise<void>;
  /** Gives it back with nothing left to go on with. False where somebody else has taken over. */
  end(): Promise<boolean>;
};

/** Who rebuilds what: of each version of a view one at a time, over all processes. */
export interface Rebuilds {
  /** Takes over at once what the dead have left, or as soon as they are known to be dead. Errors: `RebuildUnderWay`. */
  claim(projection: Projection): Promise<RebuildClaim>;
  /** Undefined where none is under way, and none was left. */
  find(projection: Projection): Promise<RebuildRecord | undefined>;
  /** Asks whoever rebuilds it to give up. Returns without waiting for that. */
  cancel(projection: Projection): Promise<void>;
}
