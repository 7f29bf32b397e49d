import { type ReplayEntry, replayChanges, replays, startedReplay } from '../../../projections/replays.js';
import type { ReplaysDuring } from '../../deliveries/queries/search-deliveries.js';
import { skewMs } from '../../deliveries/queries/search-flow-events.js';
import { replayCodec } from '../../events/replay-events.js';
import type { EventStore, StreamRange } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { findPage } from '../../views/find-page.js';
import type { DocumentFinder } from '../../views/read-model.js';
import { ReplayNotFound, replayStream } from './replay.js';

/** Reads a replay from its stream. Throws `ReplayNotFound`. */
export async function findReplay(store: EventStore, replayId: string): Promise<ReplayEntry> {
  const first = await eventOf(store, replayId, { limit: 1 });
  const last = await eventOf(store, replayId, { direction: 'backwards', limit: 1 });
  const entry = startedReplay(first);
  return last.revision === first.revision ? entry : { ...entry, ...replayChanges(last) };
}

type ReplaySearch = {
  orgId?: string;
  listenerId?: string;
  /** `latest`: the latest started first. */
  order?: 'latest';
  after?: string;
  /** 1 to 1,000. */
  limit?: number;
};

type ReplayPage = {
  replays: readonly ReplayEntry[];
  /** The `after` of the next page; undefined: last page. */
  next: string | undefined;
};

/** Throws `StoreUnavailable` where the view is not built yet. */
export async function listReplays(
  readModel: DocumentFinder,
  { orgId, listenerId, order, after, limit = 100 }: ReplaySearch,
): Promise<ReplayPage> {
  const { items, next } = await findPage<ReplayEntry>(readModel, replays, {
    where: { ...(listenerId !== undefined ? { listenerId } : orgId !== undefined && { orgId }) },
    // The query by listener ignores the organisation.
    isSelected: listenerId !== undefined && orgId !== undefined ? (entry) => entry.orgId === orgId : undefined,
    direction: order && 'backwards',
    limit,
    after,
  });
  return { replays: items, next };
}

/** The latest replays that are considered for a period. */
const maxConsidered = 200;

/** IDs of replays that were under way in a period, but for clock skew. Throws as `listReplays`. */
export const replaysDuring =
  (readModel: DocumentFinder): ReplaysDuring =>
  async (orgId, from, to = Number.POSITIVE_INFINITY) => {
    const { replays } = await listReplays(readModel, { orgId, order: 'latest', limit: maxConsidered });
    const isUnderWay = ({ startedAt, endedAt }: ReplayEntry) =>
      Date.parse(startedAt) <= to + skewMs && (endedAt === null || Date.parse(endedAt) >= from - skewMs);
    return replays.filter(isUnderWay).map(({ replayId }) => replayId);
  };

async function eventOf(store: EventStore, replayId: string, range: StreamRange) {
  const recorded = await readFirstIfExists(store.readStream(replayStream(replayId), range));
  if (!recorded) throw new ReplayNotFound(replayId);
  return replayCodec.decode(recorded);
}

export function replaySummary({ replayId, position: _, share, ...entry }: ReplayEntry) {
  return { id: replayId, ...entry, percent: Math.floor(share * 1_000) / 10, secondsLeft: secondsLeft(entry, share) };
}

/** Estimate from the average speed; null: unknown. */
function secondsLeft(
  { state, startedAt, progressedAt }: Pick<ReplayEntry, 'state' | 'startedAt' | 'progressedAt'>,
  share: number,
): number | null {
  const seconds = (Date.parse(progressedAt) - Date.parse(startedAt)) / 1_000;
  if (state !== 'running' || share <= 0 || seconds <= 0) return null;
  return Math.ceil((seconds * (1 - share)) / share);
}
