import { limitBy } from '../../stores/sqlite/database-file.js';
import type { Projection } from '../projection.js';
import { fieldName, type Plan } from '../query.js';

export type ViewTables = Pick<Projection, 'indexes'>;

/** `FHrm`: identifies a view of this service. */
export const applicationId = 0x4648726d;

/**
 * Raised when the tables change: every view is then rebuilt. An unfinished file has the negative version, so that it is
 * never read.
 */
export const schemaVersion = 1;

/**
 * `synchronous = NORMAL`: a power loss takes documents and checkpoint back together, and the view catches up.
 * `temp_store`: SQLite keeps changed pages until a statement has succeeded, too many for a file. `wal_autocheckpoint`
 * (pages of 8 KiB): the log of an idle view reaches its size within minutes.
 */
export const livePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA cache_size = -8192;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 256;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * A killed process loses uncommitted batches. Commits of many events are few, so that syncing them costs nothing. No
 * WAL: most pages are new, and would be written twice.
 */
export const bulkPragmas = `
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = TRUNCATE;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -32768;
`;

const column = (field: string): string => `"field_${fieldName(field)}"`;

const indexName = (fields: readonly string[]): string => `"by_${fields.map(fieldName).join('_')}"`;

const path = (field: string): string => `'$."${fieldName(field)}"'`;

/**
 * Rows are in insertion order: recent rows are close to each other. Lookup columns are computed from the document, so
 * the two cannot disagree. JSONB need not be parsed to read or set a field.
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

/** Has a row from the removal of a document until the file was vacuumed. */
export const removedTable = 'CREATE TABLE IF NOT EXISTS removed (only INTEGER PRIMARY KEY CHECK (only = 1));';

/**
 * Marks the file as finished after its indexes: until then the journal, recreated so that its name is synced too, rolls
 * the mark back.
 */
export const finish = ({ indexes }: ViewTables): string => `
  ${indexes
    .map(
      (fields) =>
        `CREATE INDEX IF NOT EXISTS ${indexName(fields)} ON documents (${fields.map(column).join(', ')}, key);`,
    )
    .join('\n')}
  PRAGMA journal_mode = DELETE;
  PRAGMA user_version = ${schemaVersion};
`;

/** The parameter is the JSON text of `[[key, document], …]`. */
export const putSql = `
  INSERT INTO documents (key, document) SELECT value ->> 0, jsonb_extract(value, '$[1]') FROM jsonb_each(jsonb(?)) WHERE true
  ON CONFLICT (key) DO UPDATE SET document = excluded.document`;

/** Sets `fields` of existing documents. The parameter is the JSON text of `[[key, …values], …]`. */
export function patchSql(fields: readonly string[]): string {
  const values = fields.map((field, index) => `${path(field)}, given.value -> ${index + 1}`);
  return `UPDATE documents SET document = jsonb_set(document, ${values.join(', ')})
    FROM jsonb_each(jsonb(?)) AS given WHERE documents.key = given.value ->> 0`;
}

/** The parameter is the JSON text of an array of keys. */
export const removeSql = 'DELETE FROM documents WHERE key IN (SELECT value FROM json_each(?))';

type Statement = { sql: string; values: readonly unknown[] };

export function select(plan: Plan): Statement {
  const { from, values } = matching(plan);
  const byKey = plan.direction === 'backwards' ? 'key DESC' : 'key';
  const order = plan.descendingBy === undefined ? byKey : `${column(plan.descendingBy)} DESC, key DESC`;
  return { sql: `SELECT key, json(document) AS document ${from} ORDER BY ${order} ${limitBy()}`, values };
}

/** Counts at most `limit` documents. */
export function selectCount(plan: Plan): Statement {
  const { from, values } = matching(plan);
  return { sql: `SELECT count(*) FROM (SELECT 1 ${from} ${limitBy()})`, values };
}

/** Statement that uses the index that serves the query, whatever the query planner would choose. */
function matching({ index, equals, range, direction, after, limit }: Plan) {
  const conditions = [
    ...equals.map(({ field }) => `${column(field)} IS ?`),
    ...(range?.above === undefined ? [] : [`${column(range.field)} > ?`]),
    ...(range?.atMost === undefined ? [] : [`${column(range.field)} <= ?`]),
    ...(after === undefined ? [] : [direction === 'backwards' ? 'key < ?' : 'key > ?']),
  ];
  return {
    from: [
      'FROM documents',
      index ? `INDEXED BY ${indexName(index)}` : '',
      conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '',
    ].join(' '),
    values: [
      ...equals.map(({ value }) => (typeof value === 'boolean' ? Number(value) : value)), // as `->>` returns it
      ...(range?.above === undefined ? [] : [range.above]),
      ...(range?.atMost === undefined ? [] : [range.atMost]),
      ...(after === undefined ? [] : [after]),
      limit,
    ],
  };
}

/** Selects by the values of a field, one parameter: a JSON array. Uses the field's index if it exists. */
export const selectWith = (field: string): string =>
  `SELECT key, json(document) AS document FROM documents WHERE ${column(field)} IN (SELECT value FROM json_each(?))`;
