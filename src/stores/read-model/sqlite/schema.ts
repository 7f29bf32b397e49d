import { limitBy } from '../../sqlite/limit-by.js';
import { fieldName } from '../field-name.js';
import type { Projection } from '../projection.js';
import type { Plan } from '../query.js';

/** What the tables of a view have to serve. */
export type ViewTables = Pick<Projection, 'indexes'>;

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
 * `secure_delete`: what is removed is overwritten. `temp_store`: a statement writes a batch, and the pages that it changes are kept
 * until it has succeeded, otherwise in a file; a batch that is loaded changes too many for that.
 */
export const livePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * While a file is loaded, a killed process loses what was not committed, and the next one goes on at the checkpoint. Nothing is
 * synced: what a power cut has left is of no use, which `loadingTable` tells. Where that cannot be told (`synced`), it is.
 * No write-ahead log: most pages are new ones, and those are then written once.
 */
export const bulkPragmas = (synced: boolean): string => `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = TRUNCATE;
  PRAGMA synchronous = ${synced ? 'NORMAL' : 'OFF'};
  PRAGMA cache_size = -32768;
`;

/** Says, until the file is finished, since which start of the machine it has been loaded. */
export const loadingTable = 'CREATE TABLE IF NOT EXISTS loading (boot TEXT NOT NULL);';

const column = (field: string): string => `"field_${fieldName(field)}"`;

const indexName = (fields: readonly string[]): string => `"by_${fields.map(fieldName).join('_')}"`;

const path = (field: string): string => `'$."${fieldName(field)}"'`;

/**
 * Rows stand in the order in which they were made, so that what is changed soon after is still near. The columns of the
 * lookups are computed from the document: the two cannot disagree, and a patch writes one column. Documents are JSONB, which
 * need not be parsed to take a field out of them, nor to set one.
 */
export function makeTables({ indexes }: ViewTables): string {
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

/**
 * Makes the indexes, and then declares the file finished, which syncs all of it: until that has been done, the journal, which is
 * synced first and begun anew so that its name is too, takes the declaration back.
 */
export const finish = ({ indexes }: ViewTables): string => `
  ${indexes
    .map(
      (fields) =>
        `CREATE INDEX IF NOT EXISTS ${indexName(fields)} ON documents (${fields.map(column).join(', ')}, key);`,
    )
    .join('\n')}
  DROP TABLE IF EXISTS loading;
  PRAGMA synchronous = FULL;
  PRAGMA journal_mode = DELETE;
  PRAGMA user_version = ${schemaVersion};
`;

/** Puts documents: its one parameter is the JSON text of `[[key, document], …]`. */
export const putSql = `
  INSERT INTO documents (key, document) SELECT value ->> 0, jsonb_extract(value, '$[1]') FROM jsonb_each(jsonb(?)) WHERE true
  ON CONFLICT (key) DO UPDATE SET document = excluded.document`;

/** Sets `fields` of documents: its one parameter is the JSON text of `[[key, …values], …]`. Where there is none, it does nothing. */
export function patchSql(fields: readonly string[]): string {
  const values = fields.map((field, index) => `${path(field)}, given.value -> ${index + 1}`);
  return `UPDATE documents SET document = jsonb_set(document, ${values.join(', ')})
    FROM jsonb_each(jsonb(?)) AS given WHERE documents.key = given.value ->> 0`;
}

/** Removes documents: its one parameter is the JSON text of an array of keys. */
export const removeSql = 'DELETE FROM documents WHERE key IN (SELECT value FROM json_each(?))';

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
      `ORDER BY key ${limitBy()}`,
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
