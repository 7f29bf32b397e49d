import type { Projection } from '../../../projections/projection.js';
import { fieldName } from '../field-name.js';
import type { Plan } from '../query.js';

/** `FHrm`: tells a view of ours from any other database. */
export const applicationId = 0x4648726d;

/**
 * Raised when the tables change, together with a migration of `live.db` that empties it: every view is then built anew.
 * A file has the negative of it until it is finished, so that nothing half loaded is ever read.
 */
export const schemaVersion = 2;

/**
 * `synchronous = NORMAL`: a view is derived. Its documents and its checkpoint are in one transaction, so a power cut takes
 * it back to an older state that is consistent, from which it catches up; a killed process loses nothing at all.
 * `secure_delete`: what is removed is overwritten.
 */
export const livePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * While a file is loaded it may be cut short at any time, and is gone on with: the log is synced before it is moved into the
 * file, which is seldom.
 */
export const bulkPragmas = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA wal_autocheckpoint = 8192;
  PRAGMA cache_size = -65536;
`;

const column = (field: string): string => `"field_${fieldName(field)}"`;

const indexName = (fields: readonly string[]): string => `"by_${fields.map(fieldName).join('_')}"`;

const path = (field: string): string => `'$."${fieldName(field)}"'`;

/**
 * Rows stand in the order in which they were made, so that what is changed soon after is still near. The columns of the
 * lookups are computed from the document: the two cannot disagree, and a patch writes one column. Documents are JSONB, which
 * need not be parsed to take a field out of them, nor to set one.
 */
export function makeTables({ indexes }: Projection): string {
  const fields = [...new Set(indexes.flat())];
  const columns = fields.map((field) => `, ${column(field)} GENERATED ALWAYS AS (document ->> ${path(field)}) VIRTUAL`);
  return `
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = -${schemaVersion};
    CREATE TABLE documents (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, document BLOB NOT NULL${columns.join('')});
    CREATE TABLE progress (only INTEGER PRIMARY KEY CHECK (only = 1), position INTEGER);
    INSERT INTO progress VALUES (1, NULL);
  `;
}

/** Has a row from when a document is removed until the file has been written anew without it. */
export const removedTable = 'CREATE TABLE IF NOT EXISTS removed (only INTEGER PRIMARY KEY CHECK (only = 1));';

/** Makes the indexes, and then declares the file finished and all of it synced. Changes nothing where that was done before. */
export const finish = ({ indexes }: Projection): string => `
  ${indexes
    .map(
      (fields) =>
        `CREATE INDEX IF NOT EXISTS ${indexName(fields)} ON documents (${fields.map(column).join(', ')}, key);`,
    )
    .join('\n')}
  PRAGMA synchronous = FULL;
  PRAGMA user_version = ${schemaVersion};
`;

/** Sets `fields` of one document: their values as JSON texts, then the key. */
export const patchSql = (fields: readonly string[]): string =>
  `UPDATE documents SET document = jsonb_set(document, ${fields.map((field) => `${path(field)}, jsonb(?)`).join(', ')}) WHERE key = ?`;

/** In the order of the keys, by the index that serves the query whatever SQLite thinks of it. */
export function select({ index, equals, range, after, limit }: Plan): { sql: string; values: unknown[] } {
  const conditions = [
    ...equals.map(({ field }) => `${column(field)} IS ?`),
    ...(range?.above === undefined ? [] : [`${column(range.field)} > ?`]),
    ...(range?.atMost === undefined ? [] : [`${column(range.field)} <= ?`]),
    ...(after === undefined ? [] : ['key > ?']),
  ];
  return {
    sql: [
      'SELECT key, json(document) AS document FROM documents',
      index ? `INDEXED BY ${indexName(index)}` : '',
      conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '',
      'ORDER BY key LIMIT ?',
    ].join(' '),
    values: [
      ...equals.map(({ value }) => (typeof value === 'boolean' ? Number(value) : value)), // as `->>` gives it
      ...(range?.above === undefined ? [] : [range.above]),
      ...(range?.atMost === undefined ? [] : [range.atMost]),
      ...(after === undefined ? [] : [after]),
      limit,
    ],
  };
}

/** Documents by the values of a field, which are one parameter: a JSON array. Uses its index where that has been made. */
export const selectWith = (field: string): string =>
  `SELECT key, json(document) AS document FROM documents WHERE ${column(field)} IN (SELECT value FROM json_each(?))`;
