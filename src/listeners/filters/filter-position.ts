import { InvalidRequest } from '../../kernel/domain-error.js';

/** Limits of a filter; see docs/deliveries.md. `conditions`: each value of `$in`, `$nin` and `$all` counts. */
export const filterLimits = { bytes: 4_096, conditions: 100, depth: 10, pathLength: 256, pathSegments: 32 } as const;

/** The fields of a delivered event: a path begins with one of them. */
export const eventFields = ['id', 'type', 'timestamp', 'orgId', 'flowId', 'data'];

/** Own properties that code may mistake for those of a prototype. */
export const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);

/** Position of the parser. `roots`: allowed first names of a path; undefined: any. */
export type Position = {
  place: string;
  depth: number;
  roots: readonly string[] | undefined;
};

/** The names of a path. Throws `InvalidRequest`. */
export function pathOf(name: string, position: Position): readonly string[] {
  const { pathLength, pathSegments } = filterLimits;
  const path = name.split('.');
  if (name.length > pathLength || path.length > pathSegments) {
    throw invalid(position, `must be a path of at most ${pathLength} characters and ${pathSegments} names`);
  }
  if (path.includes('')) throw invalid(position, 'must be a path such as data.total');
  if (path.some((segment) => refusedNames.has(segment))) throw invalid(position, 'this name is not allowed in a path');
  if (path.some((segment) => segment.startsWith('$')))
    throw invalid(position, 'a name in a path must not begin with $');
  const [first = ''] = path;
  if (position.roots && !position.roots.includes(first)) {
    throw invalid(position, `must begin with one of ${position.roots.join(', ')}; fields of your own are below data`);
  }
  return path;
}

export const inside = (position: Position, name: string): Position => ({
  ...position,
  place: `${position.place}.${shortened(name)}`,
  depth: position.depth + 1,
});

export const at = (position: Position, index: number): Position => ({
  ...position,
  place: `${position.place}[${index}]`,
  depth: position.depth + 1,
});

/** Name for messages: it may be as long as the body. */
const shortened = (name: string): string =>
  name.length > filterLimits.pathLength ? `${name.slice(0, filterLimits.pathLength)}…` : name;

/** Place within the filter. */
export const placeIn = ({ place }: Position): string => place.slice('filter.'.length);

export const invalid = ({ place }: Position, message: string): InvalidRequest =>
  new InvalidRequest(`${place}: ${message}`);
