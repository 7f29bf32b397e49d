import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/stores/event-store/event-store.js';

const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json>(0, 1, 2, 5, -1, 1.5, 'a', 'b', '1', '', true, false, null);

/** Arrays directly in arrays are left out: of those nested twice, sift compares inner elements too. */
const anyValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ c: scalar, length: scalar }, { requiredKeys: [], noNullPrototype: true }) },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.oneof(
        scalar,
        fc.record(
          { c: fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), d: scalar },
          { requiredKeys: [], noNullPrototype: true },
        ),
      ),
      { maxLength: 3 },
    ),
  },
);

/** The data of a flow event, with few names and values, so that filters often select it. */
export const anyData: fc.Arbitrary<JsonObject> = fc.record(
  { a: anyValue, b: anyValue },
  { requiredKeys: [], noNullPrototype: true },
);

const below = (prefix: string) =>
  fc.constantFrom('a', 'b', 'a.c', 'b.c', 'a.d', 'a.0', 'b.1.c', 'a.length').map((path) => prefix + path);
const orderable = fc.constantFrom<Json>(0, 1, 2, 1.5, 'a', 'b', '');
const literal: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ c: scalar }, { noNullPrototype: true }) },
);

const { query } = fc.letrec<{ operators: JsonObject; query: JsonObject }>((tie) => ({
  operators: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    ...['$eq', '$ne'].map((name) => literal.map((operand) => ({ [name]: operand }))),
    ...['$gt', '$gte', '$lt', '$lte'].map((name) => orderable.map((operand) => ({ [name]: operand }))),
    ...['$in', '$nin', '$all'].map((name) =>
      fc.array(literal, { minLength: 1, maxLength: 3 }).map((operand) => ({ [name]: operand })),
    ),
    fc.boolean().map(($exists) => ({ $exists })),
    fc.nat(3).map(($size) => ({ $size })),
    fc.tuple(orderable, orderable).map(([$gte, $lt]) => ({ $gte, $lt })),
    tie('operators').map(($not) => ({ $not })),
    fc
      .oneof(
        tie('operators'),
        fc.tuple(fc.constantFrom('c', 'd'), literal).map(([name, value]) => ({ [name]: value })),
      )
      .map(($elemMatch) => ({ $elemMatch })),
  ),
  query: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(below('data.'), fc.oneof(literal, tie('operators'))).map(([path, operand]) => ({ [path]: operand })),
    fc
      .tuple(below('data.'), tie('operators'), below('data.'), tie('operators'))
      .map(([one, first, other, second]) => ({ [one]: first, [other]: second })),
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('query'), { minLength: 1, maxLength: 2 }))
      .map(([name, queries]) => ({ [name]: queries })),
  ),
}));

/** A valid filter. */
export const anyFilter: fc.Arbitrary<JsonObject> = query;
