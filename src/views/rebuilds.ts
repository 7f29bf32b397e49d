import type { BuildName, Projection } from './projection.js';

/** A process that rebuilds or verifies a view. */
export type HoldingProcess = {
  host: string;
  pid: number;
  /** ISO 8601. */
  since: string;
};

export type RebuildProgress = {
  /**
   * `verifying` occurs only on request. `folding` and `comparing` are those of a verification of the live build, which
   * excludes a rebuild meanwhile.
   */
  phase: 'loading' | 'indexing' | 'catching up' | 'verifying' | 'done' | 'folding' | 'comparing';
  /** Events of the projection's categories that the current process has handled, and documents that it has compared. */
  events: number;
  perSecond: number;
  /** Inclusive; while `comparing`, the number of documents compared. */
  position: bigint;
  /** The store's end at the last check; while `comparing`, the number of documents. */
  head: bigint;
};

/** Rebuild under way, or left unfinished. */
export type RebuildRecord = {
  build: BuildName | undefined;
  /** Undefined where no process works on it: the next rebuild continues it. */
  holder: HoldingProcess | undefined;
  cancelled: boolean;
  progress: RebuildProgress | undefined;
};

/** The exclusive right to rebuild a view. It ends with the process at the latest. */
export type RebuildClaim = {
  /** The unfinished rebuild of a process that stopped or died. */
  left: Pick<RebuildRecord, 'build' | 'cancelled'> | undefined;
  /** Records which build is made. */
  begin(build: BuildName): Promise<void>;
  /** Errors: `RebuildCancelled`; `RebuildTakenOver` where this process counted as dead. */
  recordProgress(progress: RebuildProgress): Promise<void>;
  /** Releases it; the next rebuild continues the build. */
  release(): Promise<void>;
  /** Releases it and removes its record. False where another process has taken over. */
  end(): Promise<boolean>;
};

/** One rebuild at a time of each version of a view, across all processes. */
export interface Rebuilds {
  /** Takes over the rebuild of a dead process. Errors: `RebuildUnderWay`. */
  claim(projection: Projection): Promise<RebuildClaim>;
  find(projection: Projection): Promise<RebuildRecord | undefined>;
  /** Does not wait for the rebuilding process to stop. */
  cancel(projection: Projection): Promise<void>;
}
