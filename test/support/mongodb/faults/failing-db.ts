import type { Collection, Db, Document } from 'mongodb';
import type { MongoDatabase } from '../../../../src/stores/mongodb/mongodb-database.js';

/** A write to a collection, the `number`th since this database was made, from 1. */
export type Write = { number: number; collection: string; method: string };

/** Moment at which the connection broke: before the server received the command, or after it executed the command. */
export type Break = 'before' | 'after' | undefined;

class ConnectionBroken extends Error {
  override readonly name = 'ConnectionBroken';
}

const writes = new Set(['insertMany', 'updateOne', 'findOneAndUpdate', 'updateMany', 'bulkWrite', 'deleteMany']);

/**
 * The same database over a connection that calls `breakAt` before each write, and breaks where that returns a `Break`.
 */
export function failing(
  db: Db,
  breakAt: (write: Write) => Break | Promise<Break>,
): Pick<MongoDatabase, 'db' | 'patient'> {
  let number = 0;

  const breaking = <Row extends Document>(collection: Collection<Row>, name: string): Collection<Row> =>
    new Proxy(collection, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        if (!writes.has(String(property))) return member.bind(target);
        return async (...given: unknown[]) => {
          number += 1;
          const broken = await breakAt({ number, collection: name, method: String(property) });
          if (broken === 'before') throw new ConnectionBroken();
          const result: Promise<unknown> = Reflect.apply(member, target, given);
          if (broken === undefined) return result;
          await result.catch(() => undefined); // the caller does not learn of a failure either
          throw new ConnectionBroken();
        };
      },
    });

  const broken = new Proxy(db, {
    get(target, property) {
      if (property === 'collection') {
        return (name: string, options?: object) => breaking(target.collection(name, options), name);
      }
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { db: broken, patient: db };
}
