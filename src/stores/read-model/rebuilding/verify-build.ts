import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../../kernel/domain-error.js';
import { type PageRequest, pages } from '../../../kernel/pages.js';
import { sleepUnlessAborted } from '../../../kernel/unless-aborted.js';
import { documentPairs } from '../document-pairs.js';
import type { Projection } from '../projection.js';
import type { Build, FoundDocument, ReadModel } from '../read-model.js';

export type VerifyBuild = {
  readModel: ReadModel;
  projection: Projection;
  /** Finished, and at the head. */
  build: Build;
  loadTo: (position: bigint) => Promise<void>;
  /** Called after each page: throws where the rebuild was cancelled. */
  check: () => Promise<void>;
  signal: AbortSignal | undefined;
};

export class BuildsDiffer extends DomainError {
  readonly code = 'builds_differ';

  constructor(
    readonly projection: string,
    /** Of the documents. */
    readonly keys: readonly string[],
  ) {
    const shown = keys.slice(0, 10).join(', ');
    const more = keys.length > 10 ? ` and ${keys.length - 10} more` : '';
    super(
      `${projection}: the new build differs from what queries see in ${keys.length} of its documents (${shown}${more}): ` +
        'queries use the previous build; rebuild without verifying to take the new ones, or cancel to drop them',
    );
  }
}

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
/** With more differences, the whole build is probably wrong. */
const maxDifferences = 1_000;
/** A document that changes while both are read differs for a moment, so it is compared again. */
const looks = { times: 20, stable: 3, everyMs: 50 };

/**
 * Returns the number of documents; undefined where there is no live build. Events continue meanwhile: differing
 * documents are compared again when both builds are at the same position. Throws `BuildsDiffer`.
 */
export async function verifyBuild({ readModel, projection, build, signal, check, loadTo }: VerifyBuild) {
  const name = await readModel.live(projection);
  if (name === undefined) return undefined;
  const live = await readModel.open(projection, name);
  try {
    const { compared, differing } = await compare(live, build, check);
    let keys: readonly string[] = differing;
    let stable = 0;
    for (let look = 0; keys.length > 0 && stable < looks.stable && look < looks.times; look += 1) {
      if (look > 0) await sleepUnlessAborted(looks.everyMs, signal ?? AbortSignal.any([]));
      signal?.throwIfAborted();
      const { position } = await live.checkpoint();
      if (position !== undefined) await loadTo(position);
      keys = await stillDiffering(keys, live, build);
      const isStable =
        (await live.checkpoint()).position === position && (await build.checkpoint()).position === position;
      stable = isStable ? stable + 1 : stable;
    }
    if (keys.length > 0 && stable === 0) throw new BuildsNotComparable(projection.name);
    if (keys.length > 0) throw new BuildsDiffer(projection.name, keys);
    return compared;
  } finally {
    await live.close();
  }
}

async function stillDiffering(keys: readonly string[], live: Build, build: Build): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const key of keys) {
    const [before, now] = await Promise.all([live.get(key), build.get(key)]);
    if (!isDeepStrictEqual(before, now)) differing.push(key);
  }
  return differing;
}

async function compare(live: Build, build: Build, check: () => Promise<void>) {
  const differing: string[] = [];
  let compared = 0;
  for await (const { key, left, right } of documentPairs(documentsOf(live, check), documentsOf(build, check))) {
    compared += 1;
    if (!isDeepStrictEqual(left, right) && differing.push(key) === maxDifferences) break;
  }
  return { compared, differing };
}

async function* documentsOf(build: Build, check: () => Promise<void>): AsyncGenerator<FoundDocument, void> {
  const read = (page: PageRequest<string>) => build.page(page);
  for await (const page of pages(pageSize, read, ({ key }) => key)) {
    yield* page;
    await check();
  }
}
