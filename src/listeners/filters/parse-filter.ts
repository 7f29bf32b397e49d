import type { Json } from '../../stores/event-store/event-store.js';
import {
  allOf,
  anyOf,
  type Comparison,
  type Condition,
  compares,
  exists,
  hasElement,
  hasSize,
  not,
} from './conditions.js';
import {
  at,
  eventFields,
  filterLimits,
  inside,
  invalid,
  type Position,
  pathOf,
  placeIn,
  refusedNames,
} from './filter-position.js';
import { isObject } from './selected-values.js';

/**
 * Compiles a filter on the delivered event, in MongoDB's query operators. Throws `InvalidRequest`, which names the place:
 * `filter.data.total.$gtt: unknown operator`.
 */
export function parseFilter(filter: unknown): Condition {
  return new FilterParser().query(filter, { place: 'filter', depth: 0, roots: eventFields });
}

class FilterParser {
  private conditions = 0;

  query(input: unknown, position: Position): Condition {
    const entries = this.entriesOf(input, position);
    return allOf(
      entries.map(([name, value]) =>
        name.startsWith('$') ? this.logical(name, value, inside(position, name)) : this.field(name, value, position),
      ),
    );
  }

  private logical(operator: string, input: unknown, position: Position): Condition {
    switch (operator) {
      case '$and':
        return allOf(this.queries(input, position));
      case '$or':
        return anyOf(this.queries(input, position));
      case '$nor':
        return not(anyOf(this.queries(input, position)));
      default:
        throw invalid(position, fieldOperators.has(operator) ? 'must stand below a field' : 'unknown operator');
    }
  }

  private queries(input: unknown, position: Position): readonly Condition[] {
    return this.listOf(input, position).map((each, index) => this.query(each, at(position, index)));
  }

  private field(name: string, input: unknown, position: Position): Condition {
    const below = inside(position, name);
    const path = pathOf(name, below);
    if (isObject(input) && Object.keys(input).some((key) => key.startsWith('$')))
      return this.operators(path, input, below);
    return compares('$eq', { place: placeIn(below), path, operand: this.literal(input, below) });
  }

  private operators(path: readonly string[], input: unknown, position: Position): Condition {
    return allOf(
      this.entriesOf(input, position).map(([name, value]) => {
        const below = inside(position, name);
        const parse = fieldOperators.get(name);
        if (!parse)
          throw invalid(
            below,
            name.startsWith('$') ? 'unknown operator' : 'must be an operator, as its neighbours are',
          );
        return parse(this, path, value, below);
      }),
    );
  }

  /** A value to compare with: any JSON of limited depth, without operators. */
  literal(input: unknown, position: Position): Json {
    this.count(position);
    if (position.depth > filterLimits.depth)
      throw invalid(position, `is nested more than ${filterLimits.depth} levels deep`);
    if (typeof input === 'number' && !Number.isFinite(input)) throw invalid(position, 'must be a finite number');
    if (Array.isArray(input)) this.literals(input, position);
    else if (isObject(input)) {
      for (const [name, value] of this.entriesOf(input, position)) {
        const below = inside(position, name);
        if (name.startsWith('$')) throw invalid(below, 'an operator cannot stand here');
        if (refusedNames.has(name)) throw invalid(below, 'this name is not allowed');
        this.literal(value, below);
      }
    }
    return input as Json; // it was parsed from JSON
  }

  private literals(input: readonly unknown[], position: Position): readonly Json[] {
    return input.map((each, index) => this.literal(each, at(position, index)));
  }

  /** A list of values, not empty. */
  literalsIn(input: unknown, position: Position): readonly Json[] {
    return this.literals(this.listOf(input, position), position);
  }

  orderable(input: unknown, position: Position): Json {
    if (typeof input !== 'number' && typeof input !== 'string') throw invalid(position, 'must be a number or a string');
    return this.literal(input, position);
  }

  /** The condition on an element of an array: on its fields, or by operators on the element itself. */
  element(input: unknown, position: Position): Condition {
    const isOnElement = isObject(input) && Object.keys(input).some((key) => fieldOperators.has(key));
    if (isOnElement) return this.operators([], input, position);
    const onFields = this.query(input, { ...position, roots: undefined });
    return { ...onFields, holds: (element, steps) => isObject(element) && onFields.holds(element, steps) };
  }

  negated(path: readonly string[], input: unknown, position: Position): Condition {
    return not(this.operators(path, input, position));
  }

  private entriesOf(input: unknown, position: Position): readonly (readonly [string, unknown])[] {
    if (position.depth > filterLimits.depth)
      throw invalid(position, `is nested more than ${filterLimits.depth} levels deep`);
    if (!isObject(input)) throw invalid(position, 'must be an object');
    const entries = Object.entries(input);
    if (entries.length === 0) throw invalid(position, 'must not be empty');
    return entries;
  }

  private listOf(input: unknown, position: Position): readonly unknown[] {
    if (!Array.isArray(input) || input.length === 0) throw invalid(position, 'must be a list with at least one entry');
    return input;
  }

  count(position: Position): void {
    this.conditions += 1;
    if (this.conditions > filterLimits.conditions) {
      throw invalid(
        position,
        `is more than the ${filterLimits.conditions} conditions and values that a filter may have`,
      );
    }
  }
}

type ParseOperator = (parser: FilterParser, path: readonly string[], input: unknown, position: Position) => Condition;

const ordering =
  (comparison: Comparison): ParseOperator =>
  (parser, path, input, position) =>
    compares(comparison, { place: placeIn(position), path, operand: parser.orderable(input, position) });

const equal: ParseOperator = (parser, path, input, position) =>
  compares('$eq', { place: placeIn(position), path, operand: parser.literal(input, position) });

const included: ParseOperator = (parser, path, input, position) =>
  compares('$in', { place: placeIn(position), path, operand: [...parser.literalsIn(input, position)] });

const isThere: ParseOperator = (parser, path, input, position) => {
  parser.count(position);
  if (typeof input !== 'boolean') throw invalid(position, 'must be true or false');
  const condition = exists({ place: placeIn(position), path, operand: input });
  return input ? condition : not(condition);
};

const sized: ParseOperator = (parser, path, input, position) => {
  parser.count(position);
  if (!Number.isSafeInteger(input) || (input as number) < 0) throw invalid(position, 'must be a whole number from 0');
  return hasSize(input as number, { place: placeIn(position), path, operand: input as number }); // just checked
};

const allIncluded: ParseOperator = (parser, path, input, position) =>
  allOf(
    parser
      .literalsIn(input, position)
      .map((operand, index) => compares('$eq', { place: placeIn(at(position, index)), path, operand })),
  );

const elementMatches: ParseOperator = (parser, path, input, position) => {
  parser.count(position);
  const element = parser.element(input, position);
  return hasElement(element, { place: placeIn(position), path, operand: input as Json }); // it was parsed from JSON
};

const fieldOperators: ReadonlyMap<string, ParseOperator> = new Map<string, ParseOperator>([
  ['$eq', equal],
  ['$ne', (...operand) => not(equal(...operand))],
  ['$gt', ordering('$gt')],
  ['$gte', ordering('$gte')],
  ['$lt', ordering('$lt')],
  ['$lte', ordering('$lte')],
  ['$in', included],
  ['$nin', (...operand) => not(included(...operand))],
  ['$exists', isThere],
  ['$size', sized],
  ['$all', allIncluded],
  ['$elemMatch', elementMatches],
  ['$not', (parser, path, input, position) => parser.negated(path, input, position)],
]);
