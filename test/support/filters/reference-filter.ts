import type { Json, JsonObject } from '../../../src/stores/event-store/event-store.js';

/**
 * MongoDB's query semantics in as few words as possible, for JSON and the operators of filters, without limits or error messages:
 * what the service's own evaluation is compared with. mingo (7.2.7) is no substitute: it finds `{"a.b": []}` in `{"a": [1]}`, and MongoDB does not.
 */
export function matchesByReference(filter: JsonObject, document: Json | undefined): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    const queries = () => (operand as JsonObject[]).map((query) => matchesByReference(query, document));
    if (name === '$and') return queries().every(Boolean);
    if (name === '$or') return queries().some(Boolean);
    if (name === '$nor') return !queries().some(Boolean);
    return fieldMatches(at(document, name.split('.')), operand);
  });
}

type Values = readonly (Json | undefined)[];

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(value: Json | undefined, [name, ...rest]: readonly string[]): Values {
  if (name === undefined) return [value];
  if (Array.isArray(value)) {
    const index = /^\d+$/.test(name) && Number(name) in value ? at(value[Number(name)], rest) : [];
    return [...index, ...value.filter(isObject).flatMap((element) => at(element, [name, ...rest]))];
  }
  if (!isObject(value) || !Object.keys(value).includes(name)) return [undefined];
  return at(value[name], rest);
}

function fieldMatches(values: Values, operand: Json): boolean {
  const isOperators = isObject(operand) && Object.keys(operand).some((key) => key.startsWith('$'));
  if (!isOperators) return equalsAny(values, operand);
  return Object.entries(operand).every(([operator, expected]) => operators[operator]?.(values, expected));
}

/** The values and, of arrays, their elements. */
const unwound = (values: Values): Values =>
  values.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]));

const equalsAny = (values: Values, expected: Json): boolean =>
  unwound(values).some((value) => same(value ?? null, expected));

function same(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => same(each, other[index] ?? null));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.keys(other).includes(name) && same(one[name] ?? null, other[name] ?? null))
    );
  }
  return one === other;
}

const ordered =
  (holds: (order: number) => boolean) =>
  (values: Values, expected: Json): boolean =>
    unwound(values).some((value) => {
      if (typeof value === 'number' && typeof expected === 'number') return holds(value - expected);
      if (typeof value === 'string' && typeof expected === 'string')
        return holds(value < expected ? -1 : Number(value > expected));
      return false;
    });

const operators: Readonly<Record<string, (values: Values, expected: Json) => boolean>> = {
  $eq: equalsAny,
  $ne: (values, expected) => !equalsAny(values, expected),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
  $in: (values, expected) => (expected as Json[]).some((each) => equalsAny(values, each)),
  $nin: (values, expected) => !(expected as Json[]).some((each) => equalsAny(values, each)),
  $exists: (values, expected) => values.some((value) => value !== undefined) === expected,
  $size: (values, expected) => values.some((value) => Array.isArray(value) && value.length === expected),
  $all: (values, expected) => (expected as Json[]).every((each) => equalsAny(values, each)),
  $not: (values, expected) => !fieldMatches(values, expected),
  $elemMatch: (values, expected) =>
    values.some(
      (value) => Array.isArray(value) && value.some((element) => elementMatches(element, expected as JsonObject)),
    ),
};

function elementMatches(element: Json, expected: JsonObject): boolean {
  const isOnElement = Object.keys(expected).some((key) => key in operators);
  if (isOnElement) return fieldMatches([element], expected);
  return isObject(element) && matchesByReference(expected, element);
}
