import type { Db } from 'mongodb';
import { StoreUnusable } from '../../../kernel/store-errors.js';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { MongoDatabase } from '../../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../../stores/mongodb/mongodb-errors.js';
import type { RestoreMark } from '../../queue/restore-mark.js';

/** The start and the end of a copy into the database. */
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

/** Throws `StoreUnusable` if a copy into this database has begun and not ended. */
export async function requireNoUnfinishedCopy(db: Db): Promise<void> {
  const unfinished = await withMongoErrors(() => marksOf(db).findOne({ _id: 'copy', finishedAt: { $exists: false } }));
  if (!unfinished) return;
  throw new StoreUnusable(
    `a copy into the MongoDB database ${db.databaseName} has not ended: run flow-hooks store copy again, which goes on where it was`,
  );
}
