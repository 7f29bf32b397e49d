import type { Db, Document } from 'mongodb';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';

/** The same database with its server's clock `laterMs` ahead. */
export function laterServer(db: Db, laterMs: number): Pick<MongoDatabase, 'db' | 'patient'> {
  const later = new Proxy(db, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      if (property !== 'command') return member.bind(target);
      return async (command: Document) => {
        const answer = await target.command(command);
        return 'localTime' in answer
          ? { ...answer, localTime: new Date(answer.localTime.getTime() + laterMs) }
          : answer;
      };
    },
  });
  return { db: later, patient: db };
}
