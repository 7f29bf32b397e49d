import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { filterOf, projectWith } from '../../stores/read-model/project.js';
import { buildName, type Projection } from '../../stores/read-model/projection.js';
import type { Build, ReadModel } from '../../stores/read-model/read-model.js';
import { viewDocuments } from '../../stores/read-model/view-documents.js';

export type ScratchView = Awaited<ReturnType<typeof foldScratchView>>;

type FoldScratchView = {
  to: bigint;
  skipped: ReadonlySet<string>;
  onFolded: (position: bigint) => void;
};

const batchSize = 2_000;

/** `scratch`: a read model without other users; `skipped`: event IDs to leave out. Throws `ProjectionFailed`. */
export async function foldScratchView(
  store: Pick<EventStore, 'readAll'>,
  scratch: ReadModel,
  projection: Projection,
  { to, skipped, onFolded }: FoldScratchView,
) {
  const project = projectWith(projection, skipped);
  const build = await scratch.open(projection, buildName(projection, 'audit'), { bulk: true });
  try {
    await advance(build, to);
    await build.finish();
  } finally {
    await build.close();
  }
  await scratch.flip(projection, build.name);

  async function advance(target: Build, upTo: bigint): Promise<void> {
    const { position: from } = await target.checkpoint();
    if (upTo <= (from ?? -1n)) return;
    let batch: RecordedEvent[] = [];
    const apply = async (position: bigint) => {
      const { operations, failure } = project(batch);
      if (failure) throw failure;
      await target.apply(operations, position);
      onFolded(position);
      batch = [];
    };
    for await (const event of store.readAll({ filter: filterOf(projection), from })) {
      if (event.position > upTo) break;
      batch.push(event);
      if (batch.length === batchSize) await apply(event.position);
    }
    await apply(upTo);
  }

  return {
    /** Inclusive. Throws `ProjectionFailed`. */
    async advance(upTo: bigint): Promise<void> {
      const reopened = await scratch.open(projection, build.name);
      await advance(reopened, upTo).finally(() => reopened.close());
    },
    get: (key: string) => scratch.get(projection, key),
    documents: () => viewDocuments(scratch, projection),
  };
}
