import type { Json, JsonObject } from '../event-store/event-store.js';
import type { BuildName } from './build-name.js';
import type { Operation, Projection } from './projection.js';
import type { Rebuilds } from './rebuilds.js';

/** The operations of one event, in order. */
export type EventOperations = { readonly position: bigint; readonly operations: readonly Operation[] };

/** Equality on a field, or a range on one. */
export type Condition = Json | { readonly above: string; readonly atMost?: string } | { readonly atMost: string };

export type Query = {
  /** The fields of one index, or leading ones of it; a range only on the last of them. */
  readonly where: Readonly<Record<string, Condition>>;
  /** In ascending order of the keys, or `backwards`. */
  readonly direction?: 'backwards';
  /** Only documents whose key comes after this one in that order: the key of the last document of the page before. */
  readonly after?: string;
  /** 1 to 1,000; 100 without it. */
  readonly limit?: number;
};

export type FoundDocument<Document extends JsonObject = JsonObject> = {
  readonly key: string;
  readonly document: Document;
};

type Checkpoint = {
  /** Everything up to here, inclusive, has been applied. Undefined: nothing yet. */
  readonly position: bigint | undefined;
};

/**
 * The term of the lease under which a process writes, where there are several: a write of an earlier term than the last
 * one gets `LeaseLost`, and changes nothing. A write without a term keeps the last one. SQLite ignores it: one service
 * owns the directory.
 */
export type UnderTerm = { readonly term?: bigint };

/** State of a build, available without opening it. */
export type BuildStatus = {
  /** False while it is being loaded; it is not read before. */
  readonly finished: boolean;
  /** Its checkpoint. */
  readonly position: bigint | undefined;
};

/** The error that stops a view. */
export type Trouble = {
  readonly message: string;
  /** The position of the event that the view stopped before, where one event is the cause. */
  readonly position: bigint | undefined;
  /** ISO 8601. */
  readonly since: string;
};

/** A damaged build that was set aside. */
export type SetAsideBuild = {
  /** The name under which it is kept: of a file, or of a collection. */
  readonly as: string;
  /** ISO 8601. */
  readonly since: string;
};

/** One build of one projection: its documents and its checkpoint. */
export interface Build {
  readonly name: BuildName;
  /**
   * During a load, how many events the next batch may grow to while one is written, where writing each document once
   * for several events is faster. Without it batches do not grow.
   */
  readonly mostAtOnce?: number;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Writes the documents and moves the checkpoint to `position`: atomically on SQLite; elsewhere the checkpoint moves
   * last, so that an interrupted batch is applied again. A document that a later position wrote or removed stays as it
   * is: applying a batch again changes nothing. Errors: `BuildGone`, `LeaseLost`.
   */
  apply(batch: readonly EventOperations[], position: bigint): Promise<void>;
  /** Creates the indexes that were deferred until after the load. */
  finish(): Promise<void>;
  get(key: string): Promise<JsonObject | undefined>;
  /** In key order, for any build, live or not. */
  page(range: Pick<Query, 'after' | 'limit'>): Promise<readonly FoundDocument[]>;
  close(): Promise<void>;
}

/**
 * The store of the views. Every adapter passes `test/contract/read-model.ts`. Errors: `StoreUnavailable`,
 * `StoreUnusable`.
 *
 * A call that finds the live build damaged sets it aside, so that there is no live build, and rejects with
 * `ViewSetAside`: the follower then builds the view again. A view is set aside at most three times within an hour; after
 * that such calls reject with `StoreDamaged`, because a new build would not last either.
 */
export interface ReadModel {
  /** The build that answers queries of this projection; undefined where there is none yet. */
  live(projection: Projection): Promise<BuildName | undefined>;
  /** All builds of this projection, including the live one. */
  builds(projection: Projection): Promise<readonly BuildName[]>;
  /** Undefined where it does not exist. */
  describe(build: BuildName): Promise<BuildStatus | undefined>;
  /**
   * Opens a build, creating it where it does not exist. `bulk`: indexes wait for `finish`, so that loading is fast; an
   * unfinished build continues at its checkpoint. Without it, an unfinished build is `StoreUnusable`.
   */
  open(projection: Projection, build: BuildName, options?: UnderTerm & { readonly bulk?: boolean }): Promise<Build>;
  /** Points queries at `build`, atomically. Errors: `BuildGone`, `LeaseLost`. */
  flip(projection: Projection, build: BuildName, options?: UnderTerm): Promise<void>;
  drop(build: BuildName): Promise<void>;
  readonly rebuilds: Rebuilds;
  /** The error recorded by the process that keeps the view up to date, for other processes. */
  trouble(projection: Projection): Promise<Trouble | undefined>;
  /**
   * Records an error, or with `undefined` that there is none; changes nothing where a later term has recorded either.
   */
  noteTrouble(projection: Projection, trouble: Trouble | undefined, options?: UnderTerm): Promise<void>;
  /** The latest build that was set aside. Undefined where there is a live build, or none was set aside. */
  setAside(projection: Projection): Promise<SetAsideBuild | undefined>;
  /** Removes the contents of builds that were set aside longer ago than this. */
  clearSetAside(projection: Projection, olderThanMs: number): Promise<void>;

  get(projection: Projection, key: string): Promise<JsonObject | undefined>;
  /** In key order, or backwards. A document that is added or removed meanwhile moves no other to another page. */
  find(projection: Projection, query: Query): Promise<readonly FoundDocument[]>;
  /** How many documents match, counted up to `atMost`. */
  count(projection: Projection, where: Query['where'], atMost: number): Promise<number>;
  /** The live build's position; undefined where there is no live build or it has handled nothing. */
  position(projection: Projection): Promise<bigint | undefined>;
  close(): Promise<void>;
}
