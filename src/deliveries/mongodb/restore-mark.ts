import type { Db } from 'mongodb';
import { insertNew } from '../../mongodb/insert-new.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { StoreUnusable } from '../../store-errors.js';
import type { RestoreMark } from '../restore-mark.js';

/** That a copy has begun to fill the database, and that it has ended. */
type MarkRow = { readonly _id: 'copy'; readonly startedAt: Date; readonly finishedAt?: Date; readonly source?: string };

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
