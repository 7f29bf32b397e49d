import type { Collection, Db } from 'mongodb';
import type { JsonObject } from '../../event-store/event-store.js';
import { type BuildName, isBuildName } from '../projection.js';
import { fieldName } from '../query.js';
import type { Trouble } from '../read-model.js';
import type { RebuildHolder, RebuildProgress } from '../rebuilds.js';

/** `_id` is the key. Without `document`: the tombstone of a document removed at this position. */
export type DocumentRow = {
  readonly _id: string;
  /** Writes of earlier positions are refused. */
  readonly position: bigint;
  readonly document?: JsonObject;
};

/** `_id` is the build's name, and that of the collection with its documents. */
export type BuildRow = {
  readonly _id: BuildName;
  readonly projection: string;
  readonly schema: number;
  /** The checkpoint; -1 before the first. */
  readonly position: bigint;
  /** Of the lease under which it was last written; 0 without one. */
  readonly term: bigint;
  /** An unfinished build is never read. */
  readonly finished: boolean;
};

/** The live build; `_id` is as `viewOf`. The record outlives its builds, to keep its term. */
export type ViewRow = { readonly _id: string; readonly build?: BuildName; readonly term: bigint };

/** Raised when the rows change; every view is then rebuilt. */
export const schemaVersion = 1;

export const pathOf = (field: string): string => `document.${fieldName(field)}`;

/** The error that stops a view, null where there is none; `_id` is as `viewOf`. */
export type TroubleRow = {
  readonly _id: string;
  readonly trouble: Trouble | null;
  /** Absent without a lease. */
  readonly term?: bigint;
};

/** `_id` is as `viewOf`. */
export type RebuildRow = {
  readonly _id: string;
  /** The holder's UUID; null where it was released. */
  readonly claim: string | null;
  /** A sign of life, raised by the holder; not a clock time. */
  readonly beat: bigint;
  readonly holder: RebuildHolder;
  readonly build: string | null;
  readonly cancelled: boolean;
  readonly progress: RebuildProgress | null;
};

/** `_id` is the name of the damaged build's collection now. */
export type SetAsideRow = {
  readonly _id: string;
  /** As `viewOf`. */
  readonly view: string;
  readonly since: Date;
};

export type Collections = {
  readonly builds: Collection<BuildRow>;
  readonly views: Collection<ViewRow>;
  readonly rebuilds: Collection<RebuildRow>;
  readonly troubles: Collection<TroubleRow>;
  readonly setAside: Collection<SetAsideRow>;
  readonly documents: (build: BuildName) => Collection<DocumentRow>;
};

/** Throws `RangeError` for a build name that could be the name of another collection. */
export const collectionsOf = (db: Db): Collections => ({
  builds: db.collection<BuildRow>('builds'),
  views: db.collection<ViewRow>('views'),
  rebuilds: db.collection<RebuildRow>('view-rebuilds'),
  troubles: db.collection<TroubleRow>('view-troubles'),
  setAside: db.collection<SetAsideRow>('view-set-aside'),
  documents(build) {
    if (!isBuildName(build)) throw new RangeError(`${build} is not the name of a build`);
    return db.collection<DocumentRow>(build);
  },
});
