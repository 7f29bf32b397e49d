import type { Collection, Db } from 'mongodb';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { type BuildName, isBuildName } from '../projection.js';
import { fieldName } from '../query.js';
import type { ViewError } from '../read-model.js';
import type { HoldingProcess, RebuildProgress } from '../rebuilds.js';

/** `_id` is the key. Without `document`: the tombstone of a document removed at this position. */
export type DocumentRow = {
  _id: string;
  /** Writes of earlier positions are refused. */
  position: bigint;
  document?: JsonObject;
};

/** `_id` is the build's name, and that of the collection with its documents. */
export type BuildRow = {
  _id: BuildName;
  projection: string;
  schema: number;
  /** The checkpoint; -1 before the first. */
  position: bigint;
  /** Term of the lease under which the record was last written; 0 without one. */
  term: bigint;
  /** An unfinished build is never read. */
  finished: boolean;
};

/** `_id` is as `viewOf`. The record outlives its builds, to keep its term, which is absent without a lease. */
export type ViewRow = {
  _id: string;
  term?: bigint;
  /** The live build. */
  build?: BuildName;
  /** The error that stops the view; null where there is none. */
  trouble?: ViewError | null;
};

/** Raised when the rows change; every view is then rebuilt. */
export const schemaVersion = 1;

export const pathOf = (field: string): string => `document.${fieldName(field)}`;

/** `_id` is as `viewOf`. */
export type RebuildRow = {
  _id: string;
  /** The holder's UUID; null where it was released. */
  claim: string | null;
  /** Heartbeat: a counter that the holder raises; not a clock time. */
  beat: bigint;
  holder: HoldingProcess;
  build: string | null;
  cancelled: boolean;
  progress: RebuildProgress | null;
};

/** `_id` is the name of the damaged build's collection now. */
export type SetAsideRow = {
  _id: string;
  /** View as `viewOf` names it. */
  view: string;
  since: Date;
};

export type Collections = {
  builds: Collection<BuildRow>;
  views: Collection<ViewRow>;
  rebuilds: Collection<RebuildRow>;
  troubles: Collection<ViewRow>;
  setAside: Collection<SetAsideRow>;
  documents: (build: BuildName) => Collection<DocumentRow>;
};

/** Throws `RangeError` for a build name that could be the name of another collection. */
export const collectionsOf = (db: Db): Collections => ({
  builds: db.collection<BuildRow>('builds'),
  views: db.collection<ViewRow>('views'),
  rebuilds: db.collection<RebuildRow>('view-rebuilds'),
  troubles: db.collection<ViewRow>('view-troubles'),
  setAside: db.collection<SetAsideRow>('view-set-aside'),
  documents(build) {
    if (!isBuildName(build)) throw new RangeError(`${build} is not the name of a build`);
    return db.collection<DocumentRow>(build);
  },
});
