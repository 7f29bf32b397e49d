import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnswerOf } from '../../http/route-contract.js';
import { jsonValue } from '../../kernel/input/json-value.js';
import type { EventStore, JsonObject } from '../../stores/event-store/event-store.js';
import { documentPairs } from '../../stores/read-model/document-pairs.js';
import { ProjectionFailed } from '../../stores/read-model/errors.js';
import type { Projection } from '../../stores/read-model/projection.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { listSkipped, type SkippedEvent } from '../../stores/read-model/skipped-events.js';
import { viewDocuments } from '../../stores/read-model/view-documents.js';
import { foldScratchView, type ScratchView } from './scratch-view.js';

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

type VerifyPhase = 'folding' | 'comparing';
/** Positions while folding, documents while comparing. */
export type OnVerified = (phase: VerifyPhase, view: string, done: number, total: number) => void;

type VerifyViews = {
  store: Pick<EventStore, 'readAll' | 'readStream'>;
  readModel: ReadModel;
  /** Empty, without other users; takes the disk space of the views. */
  scratch: ReadModel;
  projections: readonly Projection[];
  onVerified?: OnVerified;
};

/**
 * Folds all events again in constant memory, and yields the differences of the live view, which may be written
 * meanwhile.
 */
export async function* verifyViews({ projections, ...rest }: VerifyViews): AsyncGenerator<ViewDifference> {
  for (const projection of projections) yield* verifyView({ projection, ...rest });
}

/** Verifies views. Returns the numbers of what `onDifference` got. */
export async function countDifferences(views: VerifyViews, onDifference: (difference: ViewDifference) => unknown) {
  const found = { differences: 0, skipped: 0 };
  for await (const difference of verifyViews(views)) {
    found[difference.kind === 'skipped' ? 'skipped' : 'differences'] += 1;
    onDifference(difference);
  }
  return found;
}

type VerifyView = Omit<VerifyViews, 'projections'> & { projection: Projection };

async function* verifyView({ store, readModel, scratch, projection, onVerified }: VerifyView) {
  const view = projection.name;
  if ((await readModel.live(projection)) === undefined) {
    yield ofView(view, 'not-built', 'the view has not been built');
    return;
  }
  const to = (await readModel.position(projection)) ?? -1n;
  const leftOut = await listSkipped(store, projection);
  for (const each of leftOut) yield ofView(view, 'skipped', textOf(each));
  const skipped = new Set(leftOut.map(({ eventId }) => eventId));
  try {
    const onFolded = (position: bigint) => onVerified?.('folding', view, Number(position), Number(to));
    const folded = await foldScratchView(store, scratch, projection, { to, skipped, onFolded });
    const onCompared = onVerified && (await counting(folded, view, onVerified));
    yield* differences(folded, readModel, projection, onCompared);
  } catch (error) {
    if (!(error instanceof ProjectionFailed)) throw error;
    yield ofView(view, 'unreadable', error.message);
  }
}

async function counting(folded: ScratchView, view: string, onVerified: OnVerified): Promise<() => void> {
  let total = 0;
  for await (const _ of folded.documents()) total += 1;
  let done = 0;
  return () => {
    done += 1;
    if (done <= total) onVerified('comparing', view, done, total);
  };
}

/** Checked again, because the live view is written meanwhile. */
async function* differences(
  folded: ScratchView,
  readModel: ReadModel,
  projection: Projection,
  onCompared: (() => void) | undefined,
): AsyncGenerator<ViewDifference> {
  for await (const { key, left, right } of documentPairs(folded.documents(), viewDocuments(readModel, projection))) {
    if (left) onCompared?.();
    if (isDeepStrictEqual(left, right)) continue;
    const difference = await lastingDifference(key, folded, readModel, projection);
    if (difference) yield difference;
  }
}

/** While the live view advances. */
const maxComparisons = 50;

/** Compares at the same position. */
async function lastingDifference(
  key: string,
  folded: ScratchView,
  readModel: ReadModel,
  projection: Projection,
): Promise<ViewDifference | undefined> {
  let [expected, actual]: (JsonObject | undefined)[] = [];
  for (let comparison = 1; comparison <= maxComparisons; comparison += 1) {
    const position = (await readModel.position(projection)) ?? -1n;
    await folded.advance(position);
    [expected, actual] = [await folded.get(key), await readModel.get(projection, key)];
    if (isDeepStrictEqual(expected, actual)) return undefined;
    if ((await readModel.position(projection)) === position) break; // the live view has not advanced
  }
  const kind = !actual ? 'missing' : expected ? 'different' : 'surplus';
  return { view: projection.name, kind, key, fields: differingFields(expected, actual), message: null };
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
