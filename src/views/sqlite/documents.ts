import type Database from 'better-sqlite3';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { preparedOnce } from '../../stores/sqlite/database-file.js';
import type { Write } from '../project.js';
import type { Plan } from '../query.js';
import type { FoundDocument } from '../read-model.js';
import { patchSql, putSql, removeSql, select, selectCount, selectWith } from './schema.js';

export type DocumentReader = ReturnType<typeof openDocuments>;

export function openDocuments(database: Database.Database) {
  const byKey = database.prepare<[string]>('SELECT json(document) FROM documents WHERE key = ?').pluck();
  const prepared = preparedOnce((sql) => database.prepare<unknown[]>(sql).raw());

  function rows(sql: string, values: readonly unknown[]): FoundDocument[] {
    return (prepared(sql).all(...values) as [key: string, document: string][]).map(([key, document]) => ({
      key,
      document: JSON.parse(document),
    }));
  }

  return {
    get(key: string): JsonObject | undefined {
      const document = byKey.get(key) as string | undefined;
      return document === undefined ? undefined : JSON.parse(document);
    },
    find(plan: Plan): FoundDocument[] {
      const { sql, values } = select(plan);
      return rows(sql, values);
    },
    count(plan: Plan): number {
      const { sql, values } = selectCount(plan);
      const [count] = prepared(sql).get(...values) as [count: number]; // an aggregate has a row
      return count;
    },
    /** Finds documents with or without the field's index. */
    findWith: (field: string, values: readonly string[]): FoundDocument[] =>
      rows(selectWith(field), [JSON.stringify(values)]),
  };
}

/** JSON texts of arrays, one for each kind of statement: cheap to send to another thread, and not parsed there. */
export type DocumentWrites = {
  /** Rows of `[key, document]`. */
  puts: string | undefined;
  /** Rows of `[key, …values]` in the order of the fields; one text for each set of patched fields. */
  patches: readonly { fields: readonly string[]; rows: string }[];
  /** Lists of keys; several texts where there are many. */
  removes: readonly string[];
};

/** Limit per statement: SQLite keeps every changed page until it has succeeded. */
const mostRemoved = 1_000;

/** Each key has one write, so the statements may run in any order. */
export function documentWrites(writes: ReadonlyMap<string, Write>): DocumentWrites {
  const puts: unknown[] = [];
  const removes: string[] = [];
  const patches = new Map<string, { fields: readonly string[]; rows: unknown[] }>();
  for (const [key, write] of writes) {
    if (write.kind === 'put') puts.push([key, write.document]);
    else if (write.kind === 'remove') removes.push(key);
    else {
      const fields = Object.keys(write.fields);
      const alike = patches.get(fields.join()) ?? { fields, rows: [] };
      patches.set(fields.join(), alike);
      alike.rows.push([key, ...Object.values(write.fields)]);
    }
  }
  return {
    puts: textOf(puts),
    patches: [...patches.values()]
      .filter(({ fields }) => fields.length > 0)
      .map(({ fields, rows }) => ({ fields, rows: JSON.stringify(rows) })),
    removes: Array.from({ length: Math.ceil(removes.length / mostRemoved) }, (_, index) =>
      JSON.stringify(removes.slice(index * mostRemoved, (index + 1) * mostRemoved)),
    ),
  };
}

const textOf = (rows: readonly unknown[]): string | undefined => (rows.length > 0 ? JSON.stringify(rows) : undefined);

/** Runs within the caller's transaction. True if a document was removed. */
export function writeDocumentsTo(database: Database.Database): (writes: DocumentWrites) => boolean {
  const prepared = preparedOnce((sql) => database.prepare<unknown[]>(sql));
  const run = (sql: string, rows: string): number => prepared(sql).run(rows).changes;

  return ({ puts, patches, removes }) => {
    if (puts !== undefined) run(putSql, puts);
    for (const { fields, rows } of patches) run(patchSql(fields), rows);
    return removes.reduce((removed, keys) => removed + run(removeSql, keys), 0) > 0;
  };
}
