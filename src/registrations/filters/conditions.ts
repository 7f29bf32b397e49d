import sift from 'sift';
import type { Json } from '../../stores/event-store/event-store.js';
import { examinedElements, selectedValues } from './selected-values.js';

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

export type Condition = {
  readonly holds: (document: unknown) => boolean;
  /** Why the result is not `wanted`; called only where it is not. */
  readonly reasons: (document: unknown, wanted: boolean) => readonly Mismatch[];
};

/** What a condition on a field is applied to, and how it is reported. */
export type Field = { readonly place: string; readonly path: readonly string[]; readonly operand: Json };

/** Maximum number of reasons reported for one event, and of characters of a value in them. */
const maxReasons = 10;
const maxTextLength = 200;

export const allOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document) => conditions.every(({ holds }) => holds(document)),
  reasons: (document, wanted) =>
    wanted ? firstReasons(conditions, document, wanted) : everyReason(conditions, document, wanted),
});

export const anyOf = (conditions: readonly Condition[]): Condition => ({
  holds: (document) => conditions.some(({ holds }) => holds(document)),
  reasons: (document, wanted) =>
    wanted ? everyReason(conditions, document, wanted) : firstReasons(conditions, document, wanted),
});

export const not = ({ holds, reasons }: Condition): Condition => ({
  holds: (document) => !holds(document),
  reasons: (document, wanted) => reasons(document, !wanted),
});

/** Those of the first condition with the other result. */
const firstReasons = (conditions: readonly Condition[], document: unknown, wanted: boolean): readonly Mismatch[] =>
  conditions.find(({ holds }) => holds(document) !== wanted)?.reasons(document, wanted) ?? [];

const everyReason = (conditions: readonly Condition[], document: unknown, wanted: boolean): readonly Mismatch[] =>
  conditions.flatMap(({ reasons }) => reasons(document, wanted)).slice(0, maxReasons);

/** Whether any value of a field, or an element of it where it is an array, compares so with the operand. */
export function compares(comparison: Comparison, field: Field): Condition {
  const { operand } = field;
  const test = createQueryTester({ [comparison]: operand }, { operations });
  const expectsArray = comparison === '$in' ? (operand as Json[]).some(Array.isArray) : Array.isArray(operand);
  // An array in an array is one value to MongoDB; sift looks into it.
  const elementMatches = (element: unknown) => (expectsArray || !Array.isArray(element)) && test(element);
  return ofField(field, (value) => {
    if (!Array.isArray(value)) return test(value);
    return examinedElements(value).some(elementMatches) || (expectsArray && test(value));
  });
}

/** Whether any value of a field is present. */
export const exists = (field: Field): Condition => ofField(field, (value) => value !== undefined);

/** Whether any value of a field is an array of this length. */
export const hasSize = (length: number, field: Field): Condition =>
  ofField(field, (value) => Array.isArray(value) && value.length === length);

/** Whether any value of a field is an array with an element for which the condition holds. */
export const hasElement = (element: Condition, field: Field): Condition =>
  ofField(field, (value) => Array.isArray(value) && examinedElements(value).some(element.holds));

function ofField({ place, path, operand }: Field, test: (value: unknown) => boolean): Condition {
  return {
    holds: (document) => selectedValues(path, document).some(test),
    reasons: (document) => [
      { condition: place, operand: shortened(operand), found: found(selectedValues(path, document)) },
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
