import type { JsonObject } from '../event-store/event-store.js';
import type { FoundDocument } from './read-model.js';

type Pair = { key: string; left: JsonObject | undefined; right: JsonObject | undefined };

/**
 * Documents of two views by key, in the stores' order: by UTF-8 bytes. If the sides order keys differently, a common key
 * comes twice, each time with one side missing.
 */
export async function* documentPairs(
  lefts: AsyncGenerator<FoundDocument, void>,
  rights: AsyncGenerator<FoundDocument, void>,
): AsyncGenerator<Pair> {
  let [left, right] = [await lefts.next(), await rights.next()];
  while (!left.done || !right.done) {
    const order = orderOf(left, right);
    const one: FoundDocument | undefined = order <= 0 && !left.done ? left.value : undefined;
    const other: FoundDocument | undefined = order >= 0 && !right.done ? right.value : undefined;
    yield { key: (one ?? other)?.key ?? '', left: one?.document, right: other?.document };
    if (one) left = await lefts.next();
    if (other) right = await rights.next();
  }
}

function orderOf(one: IteratorResult<FoundDocument, void>, other: IteratorResult<FoundDocument, void>): number {
  if (one.done) return 1;
  return other.done ? -1 : Buffer.compare(Buffer.from(one.value.key), Buffer.from(other.value.key));
}
