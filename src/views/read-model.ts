import type { Json, JsonObject } from '../stores/event-store/event-store.js';
import type { BuildName, Operation, Projection } from './projection.js';
import type { Rebuilds } from './rebuilds.js';

export type EventOperations = { position: bigint; operations: readonly Operation[] };

export type Condition = Json | { above: string; atMost?: string } | { atMost: string };

export type Query = {
  /** Leading fields of one index; a range only on the last of them. */
  where: Readonly<Record<string, Condition>>;
  /** Default: in ascending order of the keys. */
  direction?: 'backwards';
  /**
   * Starts at the highest value of the range's field, in this order also where the values change meanwhile: a document whose value falls is
   * found, perhaps twice. Without `after`. Default: in the order of the keys.
   */
  order?: 'from-highest';
  /** Exclusive, in that order: the key of the last document of the page before. */
  after?: string;
  /** 1 to 1,000; default 100. */
  limit?: number;
};

export type FoundDocument<Document extends JsonObject = JsonObject> = {
  key: string;
  document: Document;
};

type Checkpoint = {
  /** Inclusive. Undefined: nothing has been applied. */
  position: bigint | undefined;
};

/**
 * Term of the writer's lease: a write of an earlier term than the last gets `LeaseLost` and changes nothing; one without a term keeps the
 * last. SQLite ignores it: one service owns the directory.
 */
export type UnderTerm = { term?: bigint };

export type BuildStatus = {
  /** An unfinished build is not read. */
  finished: boolean;
  position: bigint | undefined;
};

/** The error that stops a view. */
export type ViewError = {
  message: string;
  /** The event that the view stopped before, where one event is the cause. */
  position: bigint | undefined;
  /** ISO 8601. */
  since: string;
};

export type SetAsideBuild = {
  /** Name of the file or collection. */
  as: string;
  /** ISO 8601. */
  since: string;
};

export interface Build {
  name: BuildName;
  /**
   * During a load, the number of events up to which a batch grows while another is written. Default: batches do not
   * grow.
   */
  mostAtOnce?: number;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Moves the checkpoint with the documents on SQLite, after them elsewhere: an interrupted batch is applied again.
   * Documents of a later position stay as they are, so that a batch may be repeated. Errors: `BuildGone`, `LeaseLost`.
   */
  apply(batch: readonly EventOperations[], position: bigint): Promise<void>;
  /** Creates the indexes that were deferred by a load. */
  finish(): Promise<void>;
  get(key: string): Promise<JsonObject | undefined>;
  /** Lists the documents in key order. */
  page(range: Pick<Query, 'after' | 'limit'>): Promise<readonly FoundDocument[]>;
  close(): Promise<void>;
}

/** Lists of the live build of a view. Errors: as of `ReadModel`. */
export interface DocumentFinder {
  /** Lists documents in key order, or backwards. A document that is added or removed meanwhile moves no other to another page. */
  find(projection: Projection, query: Query): Promise<readonly FoundDocument[]>;
}

/** Counts of the live build of a view. Errors: as of `ReadModel`. */
export interface DocumentCounter {
  /** Counts up to `atMost`. */
  count(projection: Projection, where: Query['where'], atMost: number): Promise<number>;
}

/** Queries of the live build of a view. Errors: as of `ReadModel`. */
interface ViewQueries extends DocumentFinder, DocumentCounter {
  get(projection: Projection, key: string): Promise<JsonObject | undefined>;
  /** Undefined where there is no live build or it has handled nothing. */
  position(projection: Projection): Promise<bigint | undefined>;
}

/** Errors that stop views. */
export interface ViewErrorRecords {
  /** Error that stops the view, as recorded by the process that keeps it up to date. */
  viewError(projection: Projection): Promise<ViewError | undefined>;
  /** Undefined: no error. Changes nothing where a later term has recorded. */
  recordError(projection: Projection, error: ViewError | undefined, options?: UnderTerm): Promise<void>;
}

/** Damaged builds, kept for examination. */
export interface SetAsideBuilds {
  /** Undefined where there is a live build, or none was set aside. */
  setAside(projection: Projection): Promise<SetAsideBuild | undefined>;
  /** Removes the contents of builds that were set aside longer ago than this. */
  clearSetAside(projection: Projection, olderThanMs: number): Promise<void>;
}

/**
 * Contract: `test/contract/read-model.ts`. Errors: `StoreUnavailable`, `StoreUnusable`. A call that finds the live
 * build damaged sets it aside and rejects with `ViewSetAside`, so that the follower builds the view again; within 20
 * minutes after the last time with `StoreDamaged`, because a new build would not last.
 */
export interface ReadModel extends ViewQueries, ViewErrorRecords, SetAsideBuilds {
  /** Undefined where there is none yet. */
  live(projection: Projection): Promise<BuildName | undefined>;
  /** Including the live one. */
  builds(projection: Projection): Promise<readonly BuildName[]>;
  describe(build: BuildName): Promise<BuildStatus | undefined>;
  /**
   * Creates the build if needed. `bulk`: indexes wait for `finish`; an unfinished build continues at its checkpoint,
   * and is `StoreUnusable` without `bulk`.
   */
  open(projection: Projection, build: BuildName, options?: UnderTerm & { bulk?: boolean }): Promise<Build>;
  /** Points queries at `build`, atomically. Errors: `BuildGone`, `LeaseLost`. */
  flip(projection: Projection, build: BuildName, options?: UnderTerm): Promise<void>;
  drop(build: BuildName): Promise<void>;
  rebuilds: Rebuilds;
  close(): Promise<void>;
}
