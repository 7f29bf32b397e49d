/**
 * Maximum number of values that one condition examines in an event, so that a filter costs little whatever the event contains.
 * Elements of arrays count; those beyond it count as absent.
 */
const maxSelectedValues = 1_000;

/** Maximum number of steps of one evaluation of a filter: about 2 ms, for which it keeps its thread. */
export const maxSteps = 50_000;

/** The steps that an evaluation has left: a name of a path that is followed, a value that is examined, or compared with an operand. */
export type Steps = { left: number };

/** An evaluation has no steps left. */
export class FilterTooCostly extends Error {}

/** Throws `FilterTooCostly`. */
export function spend(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw new FilterTooCostly();
}

/** Cost of selecting, without its values, in steps. */
const stepsOfSelection = 3;

type Selection = { left: number; values: unknown[]; steps: Steps };

/**
 * The values at a path, as MongoDB selects them: an array on the way stands for its elements that are objects, and a number also
 * for its element with this index. A missing field gives `undefined`. Only own properties count. An array at the end of the path is
 * one value. Ends after `maxSelectedValues` values and elements of arrays. Throws `FilterTooCostly`.
 */
export function selectedValues(path: readonly string[], document: unknown, steps: Steps): readonly unknown[] {
  spend(steps, stepsOfSelection);
  const selection: Selection = { left: maxSelectedValues, values: [], steps };
  select(selection, path, 0, document);
  return selection.values;
}

function select(selection: Selection, path: readonly string[], depth: number, value: unknown): void {
  if (selection.left <= 0) return;
  spend(selection.steps, 1);
  const segment = path[depth];
  if (segment === undefined) keep(selection, value);
  else if (Array.isArray(value)) selectInArray(selection, path, depth, value);
  else if (isObject(value) && Object.hasOwn(value, segment)) select(selection, path, depth + 1, value[segment]);
  else keep(selection, undefined);
}

function selectInArray(selection: Selection, path: readonly string[], depth: number, array: readonly unknown[]): void {
  const segment = path[depth] ?? '';
  if (/^\d+$/.test(segment) && Number(segment) < array.length)
    select(selection, path, depth + 1, array[Number(segment)]);
  for (const element of array) {
    if (selection.left <= 0) return;
    selection.left -= 1;
    spend(selection.steps, 1);
    if (isObject(element)) select(selection, path, depth, element);
  }
}

function keep(selection: Selection, value: unknown): void {
  selection.values.push(value);
  selection.left -= Array.isArray(value) ? value.length + 1 : 1;
}

/** The elements of a selected array that conditions examine. */
export const examinedElements = (array: readonly unknown[]): readonly unknown[] =>
  array.length > maxSelectedValues ? array.slice(0, maxSelectedValues) : array;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
