import { isDeepStrictEqual } from 'node:util';
import type { Collection, Db, Document, Filter, OptionalUnlessRequiredId } from 'mongodb';
import { defined } from '../../../kernel/input/defined.js';
import { StoreUnusable } from '../../../kernel/store-errors.js';
import { insertNew } from '../../../stores/mongodb/bulk-writes.js';
import type { MongoDatabase } from '../../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../../stores/mongodb/mongodb-errors.js';
import type { Message } from '../../delivery.js';
import type { KeptDelivery, KeptListener, QueueRestore, RestoreMark, SectionRestore } from '../../queue-contents.js';
import { toWaitingEventRow } from '../checkpoints.js';
import {
  collectionsOf,
  type DeliveryRow,
  dayKey,
  halfHourKey,
  type ListenerRow,
  type MessageRow,
  messageKey,
} from '../collections.js';
import { makeIndexes } from '../indexes.js';

/** The start and the end of a copy into the database. */
type MarkRow = { _id: 'copy'; startedAt: Date; finishedAt?: Date; source?: string };

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
    `a copy into the MongoDB database ${db.databaseName} has not ended: run flow-hooks store copy again, which continues`,
  );
}

type Identified = Document & { _id: string | bigint | Date };

/**
 * Fills the queue of a database that no service uses: see `restoreMark`. Counting and comparing may take minutes, so it
 * uses the patient connections. Throws `StoreUnavailable`, and `StoreUnusable` if the indexes differ.
 */
export async function openQueueRestore({ patient }: Pick<MongoDatabase, 'patient'>): Promise<QueueRestore> {
  const collections = collectionsOf(patient);
  await withMongoErrors(() => makeIndexes(collections));
  const {
    messages,
    listeners,
    deliveries,
    setAside,
    waitingEvents,
    cancelledReplays,
    days,
    halfHours,
    activity,
    stateCounts,
    checkpoints,
  } = collections;
  return {
    messages: section(messages, toMessageRow),
    listeners: section(listeners, toListenerRow),
    deliveries: section(deliveries, toDeliveryRow),
    setAside: section(setAside, ({ position, ...aside }) => ({ _id: position, ...aside })),
    waitingEvents: section(waitingEvents, toWaitingEventRow),
    cancelledReplays: section(cancelledReplays, ({ replay }) => ({ _id: replay })),
    days: section(days, (day) => ({ _id: dayKey(day), ...day })),
    halfHours: section(halfHours, (halfHour) => ({ _id: halfHourKey(halfHour), ...halfHour })),
    activity: section(activity, ({ at, ...minute }) => ({ _id: new Date(at), ...minute })),
    stateCounts: section(stateCounts, (counted) => ({ _id: counted.state, deliveries: counted.deliveries })),
    // Term 0 is before the term of every lease.
    checkpoints: section(checkpoints, ({ reader, position }) => ({ _id: reader, position, term: 0n })),
  };
}

/** One document for each row. Documents that are equal already are not written. */
function section<Row, Stored extends Identified>(
  collection: Collection<Stored>,
  toStored: (row: Row) => Stored,
): SectionRestore<Row> {
  /** Undefined fields are not stored, so they are no difference. */
  async function differing(rows: readonly Row[]) {
    const expected = rows.map((row) => ({ row, stored: defined(toStored(row)) }));
    const found = await collection
      .find({ _id: { $in: expected.map(({ stored }) => stored._id) } } as unknown as Filter<Stored>) // `_id` is of this type
      .toArray();
    const byId = new Map(found.map((document) => [keyOf(document), document]));
    return expected.filter(({ stored }) => !isDeepStrictEqual(stored, byId.get(keyOf(stored))));
  }

  return {
    count: () => withMongoErrors(() => collection.countDocuments({})),
    differing: (rows) => withMongoErrors(async () => (await differing(rows)).map(({ row }) => row)),
    restore: (rows) =>
      withMongoErrors(async () => {
        const missing = (await differing(rows)).map(({ stored }) => stored as OptionalUnlessRequiredId<Stored>);
        const taken = await insertNew(collection, missing);
        const replacements = taken.map((stored) => ({
          replaceOne: { filter: { _id: stored._id } as unknown as Filter<Stored>, replacement: stored as Stored },
        }));
        if (replacements.length > 0) await collection.bulkWrite(replacements, { ordered: false });
      }),
    clear: () => withMongoErrors(async () => void (await collection.deleteMany({}))),
  };
}

/** Dates are not equal to each other as keys. */
const keyOf = ({ _id }: Document): string => String(_id instanceof Date ? _id.getTime() : _id);

const toMessageRow = (message: Message): MessageRow => ({ _id: messageKey(message), ...message });

const toListenerRow = ({ listenerId, nextDue, ...listener }: KeptListener): ListenerRow =>
  ({ _id: listenerId, ...listener, nextDue: dateOf(nextDue), hintVersion: 0 }) as ListenerRow; // see `defined`

const toDeliveryRow = ({
  id,
  dueAt,
  enqueuedAt,
  endedAt,
  lastAttemptAt,
  log,
  ...delivery
}: KeptDelivery): DeliveryRow =>
  ({
    _id: id,
    ...delivery,
    dueAt: dateOf(dueAt),
    enqueuedAt: new Date(enqueuedAt),
    endedAt: dateOf(endedAt),
    lastAttemptAt: dateOf(lastAttemptAt),
    log: log.length > 0 ? log : undefined,
  }) as DeliveryRow; // see `defined`

const dateOf = (time: number | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
