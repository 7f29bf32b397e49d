import type { Collection, Db } from 'mongodb';
import type { JsonObject } from '../../event-store/event-store.js';
import type { BuildName } from '../build-name.js';
import { fieldName } from '../field-name.js';
import type { Trouble } from '../read-model.js';
import type { RebuildHolder, RebuildProgress } from '../rebuilds.js';

/** A document of a view; `_id` is its key. Without `document` it is a tombstone: it was removed at this position. */
export type DocumentRow = {
  readonly _id: string;
  /** Of the event that wrote it. What is older is refused. */
  readonly position: bigint;
  readonly document?: JsonObject;
};

/** What is known of a build; `_id` is its name, and that of the collection with its documents. */
export type BuildRow = {
  readonly _id: BuildName;
  readonly projection: string;
  readonly schema: number;
  /** The checkpoint; -1 before the first. */
  readonly position: bigint;
  /** Of the lease under which it was written last; 0 where there was none. */
  readonly term: bigint;
  /** False while it is loaded: nothing half loaded is ever read. */
  readonly finished: boolean;
};

/** Where queries go; `_id` is the version of a projection, as `viewOf` gives it. It outlives its builds for its term. */
export type ViewRow = { readonly _id: string; readonly build?: BuildName; readonly term: bigint };

/** Raised when the rows change; every view is then built anew. */
export const schemaVersion = 1;

/** Where a document keeps a field. */
export const pathOf = (field: string): string => `document.${fieldName(field)}`;

/** What keeps a view from going on, null where nothing does; `_id` is the version of a projection. */
export type TroubleRow = {
  readonly _id: string;
  readonly trouble: Trouble | null;
  /** Of the lease under which it was noted; absent where there was none. */
  readonly term?: bigint;
};

/** `_id` is the version of a projection, as `viewOf` gives it. */
export type RebuildRow = {
  readonly _id: string;
  /** A UUID of whoever has it; null where it was given back. */
  readonly claim: string | null;
  /** Raised by the holder again and again, so that others see it live. No clock is in it. */
  readonly beat: bigint;
  readonly holder: RebuildHolder;
  readonly build: string | null;
  readonly cancelled: boolean;
  readonly progress: RebuildProgress | null;
};

export type Collections = {
  readonly builds: Collection<BuildRow>;
  readonly views: Collection<ViewRow>;
  readonly rebuilds: Collection<RebuildRow>;
  readonly troubles: Collection<TroubleRow>;
  readonly documents: (build: BuildName) => Collection<DocumentRow>;
};

/** Throws `RangeError` for a name of a build that could be that of something else. */
export const collectionsOf = (db: Db): Collections => ({
  builds: db.collection<BuildRow>('builds'),
  views: db.collection<ViewRow>('views'),
  rebuilds: db.collection<RebuildRow>('view-rebuilds'),
  troubles: db.collection<TroubleRow>('view-troubles'),
  documents(build) {
    if (!/^[\w-]+\.v\d+\.[\w-]+$/.test(build)) throw new RangeError(`${build} is not the name of a build`);
    return db.collection<DocumentRow>(build);
  },
});
