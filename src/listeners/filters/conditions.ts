import { isDeepStrictEqual } from 'node:util';
import sift from 'sift';
import type { Json } from '../../stores/event-store/event-store.js';
import { examinedElements, type Steps, selectedValues, spend } from './selected-values.js';

const { createQueryTester, $eq, $gt, $gte, $in, $lt, $lte } = sift;

/** The only operators that sift knows here; the others are made of these below. */
const operations = { $eq, $gt, $gte, $in, $lt, $lte };

export type Comparison = keyof typeof operations;

/** A condition that decided against an event. */
export type Mismatch = {
  /** Place in the filter: `data.total.$gt`, `$or[1].data.currency.$in`. */
  condition: string;
  /** Operand as JSON, shortened. */
  operand: string;
  /** The values of the event that it was applied to, as JSON, shortened; null: the event has no such field. */
  found: string | null;
};

/** The event has one of these scalars at the path; null stands for a missing value too. */
export type Equality = { path: readonly string[]; values: ReadonlySet<unknown> };

/** Both functions throw `FilterTooCostly`, after the same steps. */
export type Condition = {
  holds: (document: unknown, steps: Steps) => boolean;
  /** The first `maxReasons` reasons why the result is not `expected`; empty if it is. */
  reasons: (document: unknown, expected: boolean, steps: Steps) => readonly Mismatch[];
  /** Each is true of all documents for which the condition holds. */
  equalities?: readonly Equality[];
};

/** Values to which a condition on a field is applied, and its report. */
export type Field = { place: string; path: readonly string[]; operand: Json };

/** Maximum number of reasons reported for one event, and of characters of a value in them. */
const maxReasons = 10;
const maxTextLength = 200;

export const allOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document, steps) => conditions.every(({ holds }) => holds(document, steps)),
  reasons: (document, expected, steps) =>
    expected ? firstReasons(conditions, document, expected, steps) : everyReason(conditions, document, expected, steps),
  equalities: conditions.flatMap(({ equalities = [] }) => equalities),
});

export const anyOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document, steps) => conditions.some(({ holds }) => holds(document, steps)),
  reasons: (document, expected, steps) =>
    expected ? everyReason(conditions, document, expected, steps) : firstReasons(conditions, document, expected, steps),
});

export const not = ({ holds, reasons }: Condition): Condition => ({
  holds: (document, steps) => !holds(document, steps),
  reasons: (document, expected, steps) => reasons(document, !expected, steps),
});

type Reasons = (
  conditions: readonly Condition[],
  ...parameters: Parameters<Condition['reasons']>
) => readonly Mismatch[];

/** Reasons of the first condition with the other result. */
const firstReasons: Reasons = (conditions, document, expected, steps) => {
  for (const { reasons } of conditions) {
    const found = reasons(document, expected, steps);
    if (found.length > 0) return found;
  }
  return [];
};

/** Reasons of all conditions; none where one has the expected result. */
const everyReason: Reasons = (conditions, document, expected, steps) => {
  const found: Mismatch[] = [];
  for (const { holds, reasons } of conditions) {
    const isFull = found.length >= maxReasons;
    const own = isFull ? [] : reasons(document, expected, steps);
    if (isFull ? holds(document, steps) === expected : own.length === 0) return [];
    found.push(...own);
  }
  return found.slice(0, maxReasons);
};

/** True if any value of a field, or any element of an array value, compares so with the operand. */
export function compares(comparison: Comparison, field: Field): Condition {
  const { operand, path } = field;
  const operands = comparison === '$in' ? (operand as Json[]) : [operand]; // the parser requires a list
  const expectsArray = operands.some(Array.isArray);
  const siftTest = createQueryTester({ [comparison]: operand }, { operations, compare: isEqual });
  const isEquality = (comparison === '$in' || comparison === '$eq') && operands.every(isScalar);
  const values = new Set<unknown>(operands);
  const test = isEquality ? scalarTest(values) : boundedTest(siftTest, operands);
  const condition = ofField(field, (value, steps) => {
    if (!Array.isArray(value)) return test(value, steps);
    // An array in an array is one value to MongoDB; sift looks into it.
    const elements = examinedElements(value).filter((element) => expectsArray || !Array.isArray(element));
    return elements.some((element) => test(element, steps)) || (expectsArray && test(value, steps));
  });
  return isEquality ? { ...condition, equalities: [{ path, values }] } : condition;
}

/** The scalars that an event has at the path of an equality. Throws `FilterTooCostly`. */
export function scalarsAt(path: readonly string[], document: unknown, steps: Steps): ReadonlySet<unknown> {
  const scalars = new Set<unknown>();
  for (const value of selectedValues(path, document, steps)) {
    const found = Array.isArray(value) ? examinedElements(value) : [value];
    spend(steps, found.length);
    for (const each of found) if (isScalar(each)) scalars.add(each ?? null);
  }
  return scalars;
}

/** Null equals a missing value, but not in an object: sift's own comparison takes `{c: null}` for equal to `{d: 0}`. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (one ?? other ?? null) === null || (typeof one === 'object' && isDeepStrictEqual(one, other));

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Membership in these scalars, in one step regardless of their number. */
function scalarTest(known: ReadonlySet<unknown>) {
  return (value: unknown, steps: Steps): boolean => {
    spend(steps, 1);
    return known.has(value ?? null); // null equals a missing value
  };
}

/** Cost of sift's comparison of one value with an operand, measured in steps. */
const stepsOfComparison = 2;

/** sift's test of one value, which copies values and compares them with each operand, for values of about the operands' size only. */
function boundedTest(test: (value: unknown) => boolean, operands: readonly Json[]) {
  const maxSize = Math.max(...operands.map((each) => sizeOf(each, Number.POSITIVE_INFINITY)));
  const areScalars = operands.every(isScalar);
  return (value: unknown, steps: Steps): boolean => {
    if (areScalars && !isScalar(value)) return false;
    const size = sizeOf(value, maxSize, steps);
    if (size > maxSize) return false; // no operand is equal to it
    spend(steps, stepsOfComparison * size * operands.length);
    return test(value);
  };
}

/** Number of values in JSON, itself included; it may stop beyond `max`. */
function sizeOf(value: unknown, max: number, steps?: Steps): number {
  if (typeof value !== 'object' || value === null) return 1;
  const length = Array.isArray(value) ? value.length : fieldCountOf(value);
  if (length > max) return length;
  const parts = Object.values(value);
  if (steps) spend(steps, parts.length);
  let size = 1;
  for (const part of parts) {
    if (size > max) break;
    size += sizeOf(part, max - size, steps);
  }
  return size;
}

/** Counting the fields of a large object takes as long as parsing it: it is done once for all conditions and filters. */
const largeFieldCounts = new WeakMap<object, number>();
const largeObject = 100;

function fieldCountOf(value: object): number {
  const known = largeFieldCounts.get(value);
  if (known !== undefined) return known;
  const count = Object.keys(value).length;
  if (count > largeObject) largeFieldCounts.set(value, count);
  return count;
}

/** True if any value of a field is present. */
export const exists = (field: Field): Condition => ofField(field, (value) => value !== undefined);

/** True if any value of a field is an array of this length. */
export const hasSize = (length: number, field: Field): Condition =>
  ofField(field, (value) => Array.isArray(value) && value.length === length);

/** True if any value of a field is an array with a matching element. */
export const hasElement = (element: Condition, field: Field): Condition =>
  ofField(
    field,
    (value, steps) => Array.isArray(value) && examinedElements(value).some((each) => element.holds(each, steps)),
  );

function ofField({ place, path, operand }: Field, test: (value: unknown, steps: Steps) => boolean): Condition {
  const isMet = (values: readonly unknown[], steps: Steps) => values.some((value) => test(value, steps));
  return {
    holds: (document, steps) => isMet(selectedValues(path, document, steps), steps),
    reasons(document, expected, steps) {
      const values = selectedValues(path, document, steps);
      if (isMet(values, steps) === expected) return [];
      return [{ condition: place, operand: shortened(operand), found: found(values) }];
    },
  };
}

/** Null where there is none; the value, or all where there are several. */
function found(values: readonly unknown[]): string | null {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return null;
  return shortened(present.length === 1 ? present[0] : present);
}

function shortened(value: unknown): string {
  const text = jsonBeginning(value);
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

/** Many reasons, of many filters, name the same value. */
const beginnings = new WeakMap<object, string>();

/** A JSON value as JSON; of a longer one at least `maxTextLength` characters: a value may have a megabyte. */
function jsonBeginning(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxTextLength + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = beginnings.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value)
    ? `[${beginningOf(value, jsonBeginning)}]`
    : `{${beginningOf(Object.entries(value), ([name, part]) => `${jsonBeginning(name)}:${jsonBeginning(part)}`)}}`;
  beginnings.set(value, text);
  return text;
}

function beginningOf<Part>(parts: readonly Part[], toJson: (part: Part) => string): string {
  let text = '';
  for (const part of parts) {
    if (text.length > maxTextLength) break;
    text += (text && ',') + toJson(part);
  }
  return text;
}
