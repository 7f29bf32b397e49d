import type Database from 'better-sqlite3';
import type { JsonObject } from '../../event-store/event-store.js';
import type { Plan } from '../query.js';
import type { FoundDocument } from '../read-model.js';
import { select, selectCount, selectWith } from './schema.js';

export type DocumentReader = {
  readonly get: (key: string) => JsonObject | undefined;
  readonly find: (plan: Plan) => FoundDocument[];
  readonly count: (plan: Plan) => number;
  /** With or without the field's index. */
  readonly findWith: (field: string, values: readonly string[]) => FoundDocument[];
};

export function documentReader(database: Database.Database): DocumentReader {
  const byKey = database.prepare<[string]>('SELECT json(document) FROM documents WHERE key = ?').pluck();
  const statements = new Map<string, Database.Statement<unknown[]>>();

  function prepared(sql: string): Database.Statement<unknown[]> {
    const statement = statements.get(sql) ?? database.prepare<unknown[]>(sql).raw();
    statements.set(sql, statement);
    return statement;
  }

  function rows(sql: string, values: readonly unknown[]): FoundDocument[] {
    return (prepared(sql).all(...values) as [key: string, document: string][]).map(([key, document]) => ({
      key,
      document: JSON.parse(document),
    }));
  }

  return {
    get(key) {
      const document = byKey.get(key) as string | undefined;
      return document === undefined ? undefined : JSON.parse(document);
    },
    find(plan) {
      const { sql, values } = select(plan);
      return rows(sql, values);
    },
    count(plan) {
      const { sql, values } = selectCount(plan);
      const [count] = prepared(sql).get(...values) as [count: number]; // an aggregate has a row
      return count;
    },
    findWith: (field, values) => rows(selectWith(field), [JSON.stringify(values)]),
  };
}
