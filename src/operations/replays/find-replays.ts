import { type ReplayEntry, replayChanges, replays, startedReplay } from '../../../projections/replays.js';
import { replayCodec } from '../../events/replay-events.js';
import type { EventStore, StreamRange } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { ReplayNotFound, replayStream } from './replay.js';

/** A replay as of its latest event, read from its stream. Throws `ReplayNotFound`. */
export async function findReplay(store: EventStore, replayId: string): Promise<ReplayEntry> {
  const first = await eventOf(store, replayId, { limit: 1 });
  const last = await eventOf(store, replayId, { direction: 'backwards', limit: 1 });
  const entry = startedReplay(first);
  return last.revision === first.revision ? entry : { ...entry, ...replayChanges(last) };
}

export type ReplayPage = {
  /** Ordered by their start. */
  readonly replays: readonly ReplayEntry[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: string | undefined;
};

/** The replays of an organisation; `limit` 1 to 1,000. Throws `StoreUnavailable` where the view is not built yet. */
export async function listReplays(
  readModel: ReadModel,
  orgId: string,
  { after, limit = 100 }: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<ReplayPage> {
  const page = await readModel.find(replays, { where: { orgId }, limit, ...(after !== undefined && { after }) });
  return {
    replays: page.map(({ document }) => document as ReplayEntry), // the projection wrote it
    next: page.length < limit ? undefined : page.at(-1)?.key,
  };
}

async function eventOf(store: EventStore, replayId: string, range: StreamRange) {
  const recorded = await readFirstIfExists(store.readStream(replayStream(replayId), range));
  if (!recorded) throw new ReplayNotFound(replayId);
  return replayCodec.decode(recorded);
}
