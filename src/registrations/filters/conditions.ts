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
  /** Its place in the filter: `data.total.$gt`, `$or[1].data.currency.$in`. */
  readonly condition: string;
  /** Its operand as JSON, shortened. */
  readonly operand: string;
  /** The values of the event that it was applied to, as JSON, shortened; null: the event has no such field. */
  readonly found: string | null;
};

/** Both throw `FilterTooCostly`. */
export type Condition = {
  readonly holds: (document: unknown, steps: Steps) => boolean;
  /** Why the result is not `wanted`; called only where it is not. */
  readonly reasons: (document: unknown, wanted: boolean, steps: Steps) => readonly Mismatch[];
};

/** What a condition on a field is applied to, and how it is reported. */
export type Field = { readonly place: string; readonly path: readonly string[]; readonly operand: Json };

/** Maximum number of reasons reported for one event, and of characters of a value in them. */
const maxReasons = 10;
const maxTextLength = 200;

export const allOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document, steps) => conditions.every(({ holds }) => holds(document, steps)),
  reasons: (document, wanted, steps) =>
    wanted ? firstReasons(conditions, document, wanted, steps) : everyReason(conditions, document, wanted, steps),
});

export const anyOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document, steps) => conditions.some(({ holds }) => holds(document, steps)),
  reasons: (document, wanted, steps) =>
    wanted ? everyReason(conditions, document, wanted, steps) : firstReasons(conditions, document, wanted, steps),
});

export const not = ({ holds, reasons }: Condition): Condition => ({
  holds: (document, steps) => !holds(document, steps),
  reasons: (document, wanted, steps) => reasons(document, !wanted, steps),
});

type Reasons = (
  conditions: readonly Condition[],
  ...parameters: Parameters<Condition['reasons']>
) => readonly Mismatch[];

/** Those of the first condition with the other result. */
const firstReasons: Reasons = (conditions, document, wanted, steps) =>
  conditions.find(({ holds }) => holds(document, steps) !== wanted)?.reasons(document, wanted, steps) ?? [];

const everyReason: Reasons = (conditions, document, wanted, steps) =>
  conditions.flatMap(({ reasons }) => reasons(document, wanted, steps)).slice(0, maxReasons);

/** Whether any value of a field, or an element of it where it is an array, compares so with the operand. */
export function compares(comparison: Comparison, field: Field): Condition {
  const { operand } = field;
  const operands = comparison === '$in' ? (operand as Json[]) : [operand]; // the parser requires a list
  const expectsArray = operands.some(Array.isArray);
  const test = boundedTest(createQueryTester({ [comparison]: operand }, { operations, compare: isEqual }), operands);
  return ofField(field, (value, steps) => {
    if (!Array.isArray(value)) return test(value, steps);
    // An array in an array is one value to MongoDB; sift looks into it.
    const elements = examinedElements(value).filter((element) => expectsArray || !Array.isArray(element));
    return elements.some((element) => test(element, steps)) || (expectsArray && test(value, steps));
  });
}

/** Null equals a missing value, but not in an object: sift's own comparison takes `{c: null}` for equal to `{d: 0}`. */
const isEqual = (one: unknown, other: unknown): boolean =>
  one === other || (one ?? other ?? null) === null || (typeof one === 'object' && isDeepStrictEqual(one, other));

/** sift's test of one value, which copies values and compares them with each operand, for values of about the operands' size only. */
function boundedTest(test: (value: unknown) => boolean, operands: readonly Json[]) {
  const maxSize = Math.max(...operands.map((each) => sizeOf(each, Number.POSITIVE_INFINITY)));
  const isScalar = maxSize === 1 && !operands.some((each) => typeof each === 'object' && each !== null);
  return (value: unknown, steps: Steps): boolean => {
    const isComposite = typeof value === 'object' && value !== null;
    if (isComposite && isScalar) return false;
    const size = isComposite ? sizeOf(value, maxSize, steps) : 1;
    if (size > maxSize) return false; // no operand is equal to it
    spend(steps, size * operands.length);
    return test(value);
  };
}

/** Number of values in JSON, itself included; it may stop beyond `max`. */
function sizeOf(value: unknown, max: number, steps?: Steps): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value) && value.length > max) return value.length;
  const parts = Object.values(value);
  if (steps) spend(steps, parts.length);
  let size = 1;
  for (const part of parts) {
    if (size > max) break;
    size += sizeOf(part, max - size, steps);
  }
  return size;
}

/** Whether any value of a field is present. */
export const exists = (field: Field): Condition => ofField(field, (value) => value !== undefined);

/** Whether any value of a field is an array of this length. */
export const hasSize = (length: number, field: Field): Condition =>
  ofField(field, (value) => Array.isArray(value) && value.length === length);

/** Whether any value of a field is an array with an element for which the condition holds. */
export const hasElement = (element: Condition, field: Field): Condition =>
  ofField(
    field,
    (value, steps) => Array.isArray(value) && examinedElements(value).some((each) => element.holds(each, steps)),
  );

function ofField({ place, path, operand }: Field, test: (value: unknown, steps: Steps) => boolean): Condition {
  return {
    holds: (document, steps) => selectedValues(path, document, steps).some((value) => test(value, steps)),
    reasons: (document, _, steps) => [
      { condition: place, operand: shortened(operand), found: found(selectedValues(path, document, steps)) },
    ],
  };
}

/** Null where there is none; the value, or all where there are several. */
function found(values: readonly unknown[]): string | null {
  const present = values.filter((value) => value !== undefined);
  if (present.length === 0) return null;
  return shortened(present.length === 1 ? present[0] : present);
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}
