import { type Outcome, outcomeOf } from '../../deliveries/queries/try-event.js';
import type { Transformer } from '../../deliveries/transforms/transformer.js';
import type { Subscription } from '../../events/listener-events.js';
import { bodyOf, type FlowEvent } from '../../flows/flow-event.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { timeSlice } from '../../kernel/time-slice.js';
import { type FeedPlace, placeAt } from './cursor.js';
import { gapsAt } from './gaps.js';
import type { FeedGap } from './page.js';
import { type FeedSources, flowEventsOf, indexOf, positionBefore } from './read-feed.js';

export type Trial = Pick<Subscription, 'subscriptionType' | 'filter' | 'transform'> & {
  orgId: string;
  /** Time since when events were recorded, ISO 8601. */
  from: string;
  /** Maximum number of examples of each outcome. */
  examples: number;
};

type Known = Exclude<Outcome, { outcome: 'busy' }>;
type Example = Known & { position: bigint; event: FlowEvent };

/** Reason for the end of a page. `end`: all events were tried. `busy`: expressions cannot be evaluated now. Otherwise a bound. */
type Stop = 'end' | 'events' | 'bytes' | 'time' | 'busy';

/** `upTo`: time of recording of the last event that was tried. `place`: after the page. */
export type TrialPage = {
  counts: Readonly<Record<Known['outcome'], number>>;
  examples: readonly Example[];
  gaps: readonly FeedGap[];
  upTo: string | null;
  stoppedBy: Stop;
  place: FeedPlace;
};

export type TrialSources = FeedSources & { transform: Transformer['transform'] };

/** Bounds of a page: others of the organisation wait for it. */
const maxPage = { events: 5_000, bytes: 16 * 1_048_576, ms: 1_000 };
/** Size of the bodies in an answer; a single one may be larger. */
const maxExampleBytes = 262_144;

/**
 * The outcomes that past flow events of an organisation would have with a subscription, from the beginning of the period or after a place.
 * Nothing is sent. Rejects with `StoreUnavailable` while expressions cannot be evaluated, and the errors of the stores.
 */
export async function trySubscription(
  { transform, ...sources }: TrialSources,
  trial: Trial,
  after: FeedPlace | undefined,
  bounds: typeof maxPage = maxPage,
): Promise<TrialPage> {
  const { store, queue } = sources;
  const { orgId, subscriptionType } = trial;
  const earliest = Date.parse(trial.from);
  const index = await indexOf(queue, orgId);
  const end = await store.head();
  const from = after ?? placeAt(await positionBefore(sources, trial, index));
  const upTo = end > from.position ? end : from.position;
  const page = trialPage(trial, from, bounds);
  for (const gap of await gapsAt(store, orgId, from, index)) page.addGap(gap);
  const slice = timeSlice();
  const seen = flowEventsOf(sources, { orgId, type: subscriptionType }, { after: from.position, upTo, index });
  for await (const { position, event, deleted } of seen) {
    if (slice.hasEnded()) await slice.next();
    if (deleted) page.addDeleted(position);
    if (event && Date.parse(event.recordedAt) >= earliest) {
      const found = await outcomeOf(transform, { ...trial, owner: 'trial' }, event);
      if (found.outcome === 'busy') return page.end('busy');
      page.add({ ...found, position, event });
    }
    const bound = page.pass(position);
    if (bound) return page.end(bound);
  }
  return page.end('end');
}

function trialPage({ examples: maxExamples }: Trial, from: FeedPlace, bounds: typeof maxPage) {
  const deadline = performance.now() + bounds.ms;
  const counts = { sent: 0, dropped: 0, failed: 0 };
  const examples: Example[] = [];
  const gaps: FeedGap[] = [];
  let deleted: FeedGap | undefined;
  let place = from;
  let upTo: string | null = null;
  let bytes = 0;
  let exampleBytes = 0;

  function addExample(example: Example): void {
    if (counts[example.outcome] > maxExamples) return;
    const size = example.outcome === 'sent' ? Buffer.byteLength(example.body) : 0;
    if (exampleBytes > 0 && exampleBytes + size > maxExampleBytes) return;
    exampleBytes += size;
    examples.push(example);
  }

  return {
    addGap(gap: FeedGap): void {
      place = { ...place, reported: gap.upTo };
      gaps.push(gap);
    },
    addDeleted(position: bigint): void {
      deleted = { reason: 'deleted', upTo: position, events: (deleted?.events ?? 0) + 1 };
    },
    add(tried: Example): void {
      counts[tried.outcome] += 1;
      bytes += Buffer.byteLength(bodyOf(tried.event));
      upTo = tried.event.recordedAt;
      addExample(tried);
    },
    /** The bound that is reached with the event at a position. */
    pass(position: bigint): Stop | undefined {
      place = { ...place, position };
      if (counts.sent + counts.dropped + counts.failed >= bounds.events) return 'events';
      if (bytes >= bounds.bytes) return 'bytes';
      return performance.now() > deadline ? 'time' : undefined;
    },
    /** Throws `StoreUnavailable` if it is busy from the beginning. */
    end(stoppedBy: Stop): TrialPage {
      if (stoppedBy === 'busy' && place.position === from.position)
        throw new StoreUnavailable('expressions cannot be evaluated now');
      return { counts, examples, gaps: deleted ? [...gaps, deleted] : gaps, upTo, stoppedBy, place };
    },
  };
}
