import { begun, changed, type ReplayEntry, replays } from '../../../projections/replays.js';
import { replayCodec } from '../../events/replay-events.js';
import type { EventStore, StreamRange } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { ReplayNotFound, replayStream } from './replay.js';

/** A replay as its own events have it, at once after each of them. Throws `ReplayNotFound`. */
export async function findReplay(store: EventStore, replayId: string): Promise<ReplayEntry> {
  const first = await eventOf(store, replayId, { limit: 1 });
  const last = await eventOf(store, replayId, { direction: 'backwards', limit: 1 });
  const entry = begun(first);
  return last.revision === first.revision ? entry : { ...entry, ...changed(last) };
}

export type ReplayPage = {
  /** In the order in which they were started. */
  readonly replays: readonly ReplayEntry[];
  /** Where the next page begins: the `after` to ask for it. Undefined: there is none. */
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
