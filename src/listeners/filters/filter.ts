import { LRUCache } from 'lru-cache';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { withDoubles } from '../../kernel/input/exact-json.js';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import { canonicalJson } from '../../stores/event-store/serialise.js';
import type { Condition, Equality, Mismatch } from './conditions.js';
import { filterLimits } from './filter-position.js';
import { parseFilter } from './parse-filter.js';
import { FilterTooCostly, isObject, maxSteps } from './selected-values.js';

export type { Mismatch };

/**
 * The filter of a listener as it is stored: canonical JSON, because not every MongoDB server stores field names with dots and
 * `$`. Null: every event of the subscription type.
 */
export type FilterText = string | null;

/** Maximum number of compiled filters in memory; the least recently used is compiled again when it is needed. */
const maxCompiled = 10_000;

/** The stored form of a filter in a request; an empty one is none. Throws `InvalidRequest`, which names the place that is not valid. */
export function filterText(sent: unknown): FilterText {
  const filter = withDoubles(sent); // filters compute with doubles
  if (filter === undefined || filter === null) return null;
  if (isObject(filter) && Object.keys(filter).length === 0) return null;
  parseFilter(filter); // limits its depth too
  const text = canonicalJson(filter);
  if (Buffer.byteLength(text) > filterLimits.bytes) {
    throw new InvalidRequest(`filter: must have at most ${filterLimits.bytes} bytes as JSON`);
  }
  return text;
}

/** A stored filter as callers sent it. */
export const filterObject = (filter: FilterText): JsonObject | null =>
  filter === null ? null : (JSON.parse(filter) as JsonObject); // it was made of an object

/** A pure function of the text, so all users share the compiled filters. */
const compiled = new LRUCache<string, Condition>({ max: maxCompiled });

/** True if a stored filter selects an event. An event that exceeds `maxSteps` is not selected. */
export const selects = (filter: FilterText, event: object): boolean =>
  filter === null ||
  unlessTooCostly(
    () => conditionOf(filter).holds(event, { left: maxSteps }),
    () => false,
  );

/** Equalities that all events have that a stored filter selects. */
export const equalitiesOf = (filter: FilterText): readonly Equality[] =>
  (filter === null ? undefined : conditionOf(filter).equalities) ?? [];

/** The conditions that a delivered event does not meet; empty where the filter selects it. */
export function mismatches(filter: FilterText, event: object): readonly Mismatch[] {
  if (filter === null) return [];
  return unlessTooCostly(
    () => conditionOf(filter).reasons(event, true, { left: maxSteps }),
    () => [{ condition: 'filter', operand: `of more than ${maxSteps} steps`, found: 'this event' }],
  );
}

function unlessTooCostly<Result>(evaluate: () => Result, otherwise: () => Result): Result {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof FilterTooCostly) return otherwise();
    throw error;
  }
}

/** Mismatches as a sentence: `data.total.$gt 40 failed on 12`. */
export const mismatchText = (failed: readonly Mismatch[]): string =>
  failed
    .map(
      ({ condition, operand, found }) =>
        `${condition} ${operand} failed ${found === null ? 'on a missing field' : `on ${found}`}`,
    )
    .join(', and ');

function conditionOf(filter: string): Condition {
  const known = compiled.get(filter);
  if (known) return known;
  const condition = compile(filter);
  compiled.set(filter, condition);
  return condition;
}

function compile(filter: string): Condition {
  try {
    return parseFilter(JSON.parse(filter));
  } catch {
    // A later release wrote it, before the service went back to this one. Sending what it may exclude is worse than not sending.
    return { holds: () => false, reasons: () => [{ condition: 'filter', operand: 'of a later release', found: null }] };
  }
}
