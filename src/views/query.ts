import type { Projection } from './projection.js';
import type { Condition, Query } from './read-model.js';

type Scalar = string | number | boolean | null;

/** A query that was checked against the indexes of its projection. */
export type Plan = {
  /** Undefined: it matches every document. */
  index: readonly string[] | undefined;
  equals: readonly { field: string; value: Scalar }[];
  /** Exclusive and inclusive; at least one of them is set. */
  range: { field: string; above?: string; atMost?: string } | undefined;
  direction: Query['direction'];
  /** The field of the range, if it orders the documents, descending. */
  descendingBy: string | undefined;
  after: string | undefined;
  limit: number;
};

/** Throws `RangeError`, a programming error, where no index serves the query. */
export function plan(projection: Projection, { where, direction, order, after, limit = 100 }: Query): Plan {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new RangeError(`limit ${limit} is not 1 to 1000`);
  const fields = Object.keys(where);
  const index = projection.indexes.find(
    (candidate) => candidate.length >= fields.length && candidate.slice(0, fields.length).every((f) => f in where),
  );
  if (!index) throw new RangeError(`no index of ${projection.name} serves a lookup by ${fields.join(', ')}`);

  const equals: { field: string; value: Scalar }[] = [];
  let range: Plan['range'];
  for (const field of index.slice(0, fields.length)) {
    const condition = where[field] as Condition; // it is a field of `where`
    if (range) throw new RangeError(`a range on ${range.field} leaves no lookup by ${field}`);
    if (condition === null || typeof condition !== 'object') equals.push({ field, value: condition });
    else range = rangeOf(field, condition);
  }
  if (order && (!range || after !== undefined))
    throw new RangeError('only a range orders documents, and only one page');
  const descendingBy = order && range?.field;
  return { index: fields.length > 0 ? index : undefined, equals, range, direction, descendingBy, after, limit };
}

function rangeOf(field: string, condition: object): NonNullable<Plan['range']> {
  const range = {
    ...('above' in condition && { above: String(condition.above) }),
    ...('atMost' in condition && { atMost: String(condition.atMost) }),
  };
  if (Object.keys(range).length > 0) return { field, ...range };
  throw new RangeError(`${field} can be compared with a text, a number, a boolean or null only`);
}

/** Fields become part of queries. Throws `RangeError`, a programming error. */
export function fieldName(field: string): string {
  if (!/^[A-Za-z_]\w*$/.test(field)) throw new RangeError(`${field} is not a name for a field`);
  return field;
}
