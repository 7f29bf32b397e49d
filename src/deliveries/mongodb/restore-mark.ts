import type { Db } from 'mongodb';
import { StoreUnusable } from '../../event-store/errors.js';
import { insertNew } from '../../mongodb/insert-new.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';

/** That a copy has begun to fill the database, and that it has ended. */
type MarkRow = { readonly _id: 'copy'; readonly startedAt: Date; readonly finishedAt?: Date; readonly source?: string };

export type FinishedCopy = {
  readonly at: Date;
  /** What the copy was made of, as it was told at its end. */
  readonly source: string;
};

/**
 * Marks a database while a copy fills it: a service that worked on it before the end would send what was sent long ago.
 * The mark stays when the copy has ended: what a service has done since must not be undone by another copy.
 */
export type RestoreMark = {
  readonly read: () => Promise<'none' | 'unfinished' | FinishedCopy>;
  /** The name of a collection that holds something, if any does. */
  readonly findContent: () => Promise<string | undefined>;
  readonly begin: () => Promise<void>;
  readonly finish: (source: string) => Promise<void>;
};

const marksOf = (db: Db) => db.collection<MarkRow>('queue.copies');

export function restoreMark({ db }: Pick<MongoDatabase, 'db'>): RestoreMark {
  const marks = marksOf(db);
  return {
    read: () =>
      withMongoErrors(async () => {
        const mark = await marks.findOne({ _id: 'copy' });
        if (!mark) return 'none';
        const { finishedAt, source } = mark;
        return finishedAt && source !== undefined ? { at: finishedAt, source } : 'unfinished';
      }),
    findContent: () =>
      withMongoErrors(async () => {
        for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
          if (!name.startsWith('system.') && (await db.collection(name).findOne())) return name;
        }
        return undefined;
      }),
    begin: () => withMongoErrors(async () => void (await insertNew(marks, [{ _id: 'copy', startedAt: new Date() }]))),
    finish: (source) =>
      withMongoErrors(
        async () => void (await marks.updateOne({ _id: 'copy' }, { $set: { finishedAt: new Date(), source } })),
      ),
  };
}

/** Throws `StoreUnusable` while a copy into this database has not ended. */
export async function requireNoUnfinishedCopy(db: Db): Promise<void> {
  const unfinished = await withMongoErrors(() => marksOf(db).findOne({ _id: 'copy', finishedAt: { $exists: false } }));
  if (!unfinished) return;
  throw new StoreUnusable(
    `a copy into the MongoDB database ${db.databaseName} has not ended: run flow-hooks store copy again, which goes on where it was`,
  );
}
