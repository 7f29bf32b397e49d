import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../kernel/domain-error.js';
import { type PageRequest, pages } from '../../kernel/pages.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { JsonObject } from '../../stores/event-store/event-store.js';
import type { Projection } from '../projection.js';
import type { Build, FoundDocument, ReadModel } from '../read-model.js';
import { viewDocuments } from '../view-documents.js';

export type CompareBuilds = {
  readModel: Pick<ReadModel, 'find' | 'get' | 'position'>;
  projection: Projection;
  /** Finished, and not ahead of the live build. */
  build: Build;
  /** Loads the build up to this position. */
  loadTo: (position: bigint) => Promise<void>;
  /** Called after each page with its number of documents. The comparison ends with its error. */
  onCompared: (documents: number) => Promise<void>;
  signal: AbortSignal | undefined;
};

/** `expected`: in the new build; `actual`: in the live one. */
export type Difference = { key: string; expected: JsonObject | undefined; actual: JsonObject | undefined };

/** The two builds were never at the same position. */
class BuildsNotComparable extends DomainError {
  readonly code = 'builds_not_comparable';

  constructor(projection: string) {
    super(
      `${projection}: the new build and the one that queries see are never at the same position: with a service that keeps ` +
        'the view up to date, verify again',
    );
  }
}

const pageSize = 1_000;
/** A document that changes while both are read differs for a moment, so it is compared again. */
const comparisons = { times: 20, stable: 3, everyMs: 50 };

/**
 * Yields the documents in which the live build differs from a new one. Events continue meanwhile: differing documents
 * are compared again when both builds are at the same position.
 */
export async function* compareBuilds(builds: CompareBuilds): AsyncGenerator<Difference> {
  const { readModel, projection, build, onCompared } = builds;
  const found = documentPairs(documentsOf(build, onCompared), viewDocuments(readModel, projection));
  let keys: string[] = [];
  for await (const { key, expected, actual } of found) {
    if (isDeepStrictEqual(expected, actual) || keys.push(key) < pageSize) continue;
    yield* await lastingDifferences(keys, builds);
    keys = [];
  }
  yield* await lastingDifferences(keys, builds);
}

async function lastingDifferences(keys: readonly string[], builds: CompareBuilds): Promise<readonly Difference[]> {
  const { readModel, projection, build, loadTo, signal } = builds;
  let differences: readonly Difference[] = keys.map((key) => ({ key, expected: undefined, actual: undefined }));
  let stable = 0;
  for (let round = 0; differences.length > 0 && stable < comparisons.stable && round < comparisons.times; round += 1) {
    if (round > 0) await sleepUnlessAborted(comparisons.everyMs, signal ?? AbortSignal.any([]));
    signal?.throwIfAborted();
    const position = (await readModel.position(projection)) ?? -1n;
    await loadTo(position);
    const remaining: Difference[] = [];
    for (const { key } of differences) {
      const [expected, actual] = await Promise.all([build.get(key), readModel.get(projection, key)]);
      if (!isDeepStrictEqual(expected, actual)) remaining.push({ key, expected, actual });
    }
    differences = remaining;
    if ((await readModel.position(projection)) === position) stable += 1;
  }
  if (differences.length > 0 && stable === 0) throw new BuildsNotComparable(projection.name);
  return differences;
}

async function* documentsOf(
  build: Build,
  onCompared: CompareBuilds['onCompared'],
): AsyncGenerator<FoundDocument, void> {
  const read = (page: PageRequest<string>) => build.page(page);
  for await (const page of pages(pageSize, read, ({ key }) => key)) {
    yield* page;
    await onCompared(page.length);
  }
}

type Found = IteratorResult<FoundDocument, void>;

/** Pairs documents by key, in the stores' order: by UTF-8 bytes. */
async function* documentPairs(
  build: AsyncGenerator<FoundDocument, void>,
  live: AsyncGenerator<FoundDocument, void>,
): AsyncGenerator<Difference> {
  let [one, other] = [await build.next(), await live.next()];
  while (!one.done || !other.done) {
    const order = orderOf(one, other);
    const expected = order <= 0 && !one.done ? one.value : undefined;
    const actual = order >= 0 && !other.done ? other.value : undefined;
    yield { key: (expected ?? actual)?.key ?? '', expected: expected?.document, actual: actual?.document };
    if (expected) one = await build.next();
    if (actual) other = await live.next();
  }
}

function orderOf(one: Found, other: Found): number {
  if (one.done) return 1;
  return other.done ? -1 : Buffer.compare(Buffer.from(one.value.key), Buffer.from(other.value.key));
}
