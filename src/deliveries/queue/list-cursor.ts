import { InvalidRequest } from '../../kernel/domain-error.js';
import { maxPosition } from '../../kernel/input/parse-position.js';

/** A place in a list of deliveries: a number that the list goes by first, and what tells the deliveries of that apart. */
export type ListCursor = { readonly number: bigint; readonly id: string };

export const writeCursor = ({ number, id }: ListCursor): string => `${number}.${id}`;

/** Throws `InvalidRequest` where no list has given it. */
export function readCursor(cursor: string): ListCursor {
  const [, number, id] = /^(-?\d{1,19})\.(.+)$/s.exec(cursor) ?? [];
  if (number === undefined || id === undefined) throw noPlace();
  const place = BigInt(number);
  if (place > maxPosition || place < -maxPosition) throw noPlace();
  return { number: place, id };
}

export const noPlace = (): InvalidRequest =>
  new InvalidRequest('after is no place in a list of deliveries: give what the page before has as next');
