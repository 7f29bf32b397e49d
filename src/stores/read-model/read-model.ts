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
  /** Only documents whose key sorts after this one: the key of the last document of the page before. */
  readonly after?: string;
  /** 1 to 1,000; 100 without it. */
  readonly limit?: number;
};

export type Found<Document extends JsonObject = JsonObject> = { readonly key: string; readonly document: Document };

export type Checkpoint = {
  /** Everything up to here, inclusive, has been applied. Undefined: nothing yet. */
  readonly position: bigint | undefined;
};

/**
 * The lease under which somebody writes, where several instances may: one of an earlier term than before gets `LeaseLost`,
 * and changes nothing that a later one wrote. Without a term one writes as whoever wrote last. SQLite has no use for it:
 * one service owns the directory.
 */
export type UnderTerm = { readonly term?: bigint };

/** What is known of a build without opening it. */
export type BuildStatus = {
  /** False while it is loaded; it is not read before. */
  readonly finished: boolean;
  /** Its checkpoint. */
  readonly position: bigint | undefined;
};

/** What keeps a view from going on. */
export type Trouble = {
  readonly message: string;
  /** Of the event that it stands before, where it is about one. */
  readonly position: bigint | undefined;
  /** ISO 8601. */
  readonly since: string;
};

/** One build of one projection: its documents and its checkpoint. */
export interface Build {
  readonly name: BuildName;
  /**
   * While a batch is written, the next of a load may grow to so many events, where writing one document once for several
   * events is worth it. Without it batches stay as they are.
   */
  readonly mostAtOnce?: number;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Writes the documents and moves the checkpoint to `position`: both or neither on SQLite; elsewhere the checkpoint moves
   * last, so that what was cut short is applied again. A document that a later position wrote, or removed, stays as it is:
   * applying a batch again changes nothing. Errors: `BuildGone`, `LeaseLost`.
   */
  apply(batch: readonly EventOperations[], position: bigint): Promise<void>;
  /** Makes the indexes where they were left for after the load. */
  finish(): Promise<void>;
  get(key: string): Promise<JsonObject | undefined>;
  /** In the order of the keys, whether queries go to this build or not. */
  page(range: Pick<Query, 'after' | 'limit'>): Promise<readonly Found[]>;
  close(): Promise<void>;
}

/** Where views are kept. Every adapter passes `test/contract/read-model.ts`. Errors: `StoreUnavailable`, `StoreUnusable`. */
export interface ReadModel {
  /** The build that answers queries of this projection; undefined where there is none yet. */
  live(projection: Projection): Promise<BuildName | undefined>;
  /** All builds of this projection, the live one too. */
  builds(projection: Projection): Promise<readonly BuildName[]>;
  /** Undefined where it does not exist. */
  describe(build: BuildName): Promise<BuildStatus | undefined>;
  /**
   * Opens a build, making it where it does not exist. `bulk`: indexes wait for `finish`, so that loading is fast; one that
   * was left before it was finished is gone on with at its checkpoint. Without it, that one is `StoreUnusable`.
   */
  open(projection: Projection, build: BuildName, options?: UnderTerm & { readonly bulk?: boolean }): Promise<Build>;
  /** Points queries at `build`, in one step. Errors: `BuildGone`, `LeaseLost`. */
  flip(projection: Projection, build: BuildName, options?: UnderTerm): Promise<void>;
  drop(build: BuildName): Promise<void>;
  readonly rebuilds: Rebuilds;
  /** What whoever keeps the view up to date has noted, for those in other processes. */
  trouble(projection: Projection): Promise<Trouble | undefined>;
  /** Changes nothing where one of a later term has noted something, or that all is well: `undefined`. */
  noteTrouble(projection: Projection, trouble: Trouble | undefined, options?: UnderTerm): Promise<void>;

  get(projection: Projection, key: string): Promise<JsonObject | undefined>;
  /** In the order of the keys. A document that is added or removed meanwhile moves no other to another page. */
  find(projection: Projection, query: Query): Promise<readonly Found[]>;
  /** How far the live build is; undefined where there is none or it has seen nothing. */
  position(projection: Projection): Promise<bigint | undefined>;
  close(): Promise<void>;
}
