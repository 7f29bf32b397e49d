import { projections } from '../../../projections/index.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-position.js';
import type { Projection } from '../../stores/read-model/projection.js';
import { UsageError } from '../failure.js';
import { projectionNames } from './names.js';

/** Throws `UsageError`. */
export function projectionNamed(name: string): Projection {
  const projection = projections.find((each) => each.name === name);
  if (!projection) throw new UsageError(`there is no projection ${name}: there are ${projectionNames}`);
  return projection;
}

/** Throws `UsageError`. */
export function positionOf(text: string): bigint {
  const position = parsePosition(text);
  if (position === undefined) throw new UsageError(`a position is a whole number from 0 to ${maxPosition}`);
  return position;
}
