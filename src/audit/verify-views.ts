import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnswerOf } from '../http/route-contract.js';
import { jsonValue } from '../kernel/input/json-value.js';
import type { EventStore, JsonObject } from '../stores/event-store/event-store.js';
import { ProjectionFailed } from '../views/errors.js';
import { buildName, type Projection } from '../views/projection.js';
import type { ReadModel } from '../views/read-model.js';
import { compareBuilds, type Difference } from '../views/rebuilding/compare-builds.js';
import { loadBuild, reportRebuild } from '../views/rebuilding/load-build.js';
import type { RebuildClaim, RebuildProgress } from '../views/rebuilds.js';
import { listSkipped, type SkippedEvent } from '../views/skipped-events.js';

export const viewDifference = z.strictObject({
  view: z.string(),
  /** `unreadable`: an event stopped the fold; `skipped`: left out of view and fold by an operator, so no difference. */
  kind: z.enum(['missing', 'surplus', 'different', 'not-built', 'unreadable', 'skipped']),
  key: z.string().nullable(),
  /** Fields that differ; null: absent. */
  fields: z.record(z.string(), z.strictObject({ expected: jsonValue, actual: jsonValue })),
  message: z.string().nullable(),
});

export type ViewDifference = AnswerOf<typeof viewDifference>;

export type VerifyView = {
  store: EventStore;
  readModel: ReadModel;
  /** Empty, without other users; takes the disk space of the view. */
  scratch: ReadModel;
  projection: Projection;
  /** Works as that of `RebuildClaim`. */
  recordProgress?: RebuildClaim['recordProgress'];
  onProgress?: (progress: RebuildProgress) => void;
  signal?: AbortSignal;
};

/** Counted while documents are compared. */
const maxCounted = 1_000_000_000;

/**
 * Folds all events again in constant memory, and yields the differences of the live view, which may be written
 * meanwhile. Throws the errors of `recordProgress`, and the signal's reason.
 */
export async function* verifyView({ projection, ...views }: VerifyView): AsyncGenerator<ViewDifference> {
  const { store, readModel, scratch, recordProgress = async () => undefined, onProgress, signal } = views;
  const view = projection.name;
  if ((await readModel.live(projection)) === undefined) {
    yield ofView(view, 'not-built', 'the view has not been built');
    return;
  }
  const head = (await readModel.position(projection)) ?? -1n;
  for (const each of await listSkipped(store, projection)) yield ofView(view, 'skipped', textOf(each));
  const { report } = reportRebuild({ recordProgress }, { position: -1n, head }, onProgress);
  await report('folding');
  const build = await scratch.open(projection, buildName(projection, 'audit'), { bulk: true });
  const load = (upTo: bigint) => loadBuild({ store, projection, build, signal, upTo });
  try {
    for await (const loaded of load(head)) await report('folding', loaded);
    await build.finish();
    const total = BigInt(await readModel.count(projection, {}, maxCounted));
    let compared = 0;
    const onCompared = async (documents: number) => {
      compared += documents;
      await report('comparing', { events: documents, position: BigInt(compared), head: total });
    };
    const loadTo = async (position: bigint) => {
      for await (const _ of load(position));
    };
    const differences = compareBuilds({ readModel, projection, build, loadTo, onCompared, signal });
    for await (const each of differences) yield ofDocument(view, each);
  } catch (error) {
    if (!(error instanceof ProjectionFailed)) throw error;
    yield ofView(view, 'unreadable', error.message);
  } finally {
    await build.close();
  }
}

/** Verifies a view. Returns the numbers of the differences and skipped events passed to `onDifference`. */
export async function countDifferences(view: VerifyView, onDifference: (difference: ViewDifference) => unknown) {
  const found = { differences: 0, skipped: 0 };
  for await (const difference of verifyView(view)) {
    found[difference.kind === 'skipped' ? 'skipped' : 'differences'] += 1;
    onDifference(difference);
  }
  return found;
}

function ofDocument(view: string, { key, expected, actual }: Difference): ViewDifference {
  const kind = !actual ? 'missing' : expected ? 'different' : 'surplus';
  return { view, kind, key, fields: differingFields(expected, actual), message: null };
}

function differingFields(expected: JsonObject = {}, actual: JsonObject = {}): ViewDifference['fields'] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return Object.fromEntries(
    names
      .filter((name) => !isDeepStrictEqual(expected[name], actual[name]))
      .map((name) => [name, { expected: expected[name] ?? null, actual: actual[name] ?? null }]),
  );
}

const textOf = ({ eventType, stream, revision, why }: SkippedEvent): string =>
  `${eventType} at revision ${revision} of ${stream}, by decision of an operator: ${why}`;

const ofView = (view: string, kind: 'not-built' | 'unreadable' | 'skipped', message: string): ViewDifference => ({
  view,
  kind,
  key: null,
  fields: {},
  message,
});
