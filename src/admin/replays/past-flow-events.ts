import { fanOutPassed } from '../../deliveries/fan-out/partitions.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import {
  type FeedQuery,
  type FeedSources,
  flowEventsOf,
  indexOf,
  type Listed,
  maxSkewMs,
  positionBefore,
  type Seen,
  smaller,
} from '../feed/read-feed.js';

/** `from`, `to`: times of recording, inclusive. */
export type Selection = FeedQuery & { from: string | null; to: string | null };

/** Longer than the fan-out takes to move a checkpoint past events of other organisations. */
const fanOutTimeoutMs = 3_000;

/** Flow events of an organisation up to a position. `beginning`: position before the period; -1n: none. */
type PastFlowEvents = { beginning: bigint; events: (after: bigint) => AsyncGenerator<Seen> };

/** `events`: in order, with an `event` if it is selected. Throws `StoreUnavailable` while the fan-out has not reached `upTo`. */
export async function pastFlowEvents(
  sources: FeedSources,
  selection: Selection,
  upTo: bigint,
): Promise<PastFlowEvents> {
  const { orgId, from, to } = selection;
  const earliest = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const latest = to === null ? Number.POSITIVE_INFINITY : Date.parse(to);
  const index = await indexUpTo(sources.queue, orgId, upTo);

  async function* events(after: bigint): AsyncGenerator<Seen> {
    for await (const { event, ...seen } of flowEventsOf(sources, selection, { after, upTo, index })) {
      const at = seen.recorded ? Date.parse(recordedAt(seen.recorded)) : undefined;
      if (at !== undefined && at > latest + maxSkewMs) return;
      const isWithin = at !== undefined && at >= earliest && at <= latest;
      if (seen.isOwn) yield isWithin ? { ...seen, event } : seen;
    }
  }

  return { beginning: await positionBefore(sources, selection, index), events };
}

/** Only events count that the fan-out has passed. Undefined: it has not begun. */
async function indexUpTo(queue: FeedSources['queue'], orgId: string, upTo: bigint): Promise<Listed | undefined> {
  const index = await indexOf(queue, orgId);
  if (!index) return undefined;
  if (!(await fanOutPassed(queue, { orgId, position: upTo }, fanOutTimeoutMs)))
    throw new StoreUnavailable(`the fan-out has not reached position ${upTo}`);
  return { since: smaller(index.since, upTo), upTo };
}
