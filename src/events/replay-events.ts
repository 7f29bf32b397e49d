import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** An event by its revision in its stream, which is the same in every copy of the store. */
const place = z.object({ stream: z.string(), revision: z.string().regex(/^\d+$/) });

/** The data of every replay event, so that the last event alone is enough to continue the replay. */
const replay = {
  replayId: z.uuid(),
  orgId: z.string(),
  /** The listener that it is for. */
  listenerId: z.uuid(),
  /** Its flow events: recorded from `from` to `to`, both inclusive, of the types that this subscription type selects … */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  type: z.string().nullable(),
  /** … or just this one. */
  event: place.nullable(),
  ratePerSecond: z.number().positive(),
  startedAt: z.iso.datetime(),
  /** Number of flow events examined and enqueued up to `reached`; `share` of the way, 0 to 1. */
  lookedAt: z.int().nonnegative(),
  enqueued: z.int().nonnegative(),
  share: z.number().min(0).max(1),
  reached: place.nullable(),
};

const replayEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'replay', type, version: 1, schema: z.object({ ...replay, ...shape }) });

const ReplayStarted = replayEvent('ReplayStarted', {});
/** Recorded at intervals, and when a run ends early: the next run continues from there. */
const ReplayProgressed = replayEvent('ReplayProgressed', {});
export const ReplayCancelled = replayEvent('ReplayCancelled', {
  /** `requested` by an operator, or the listener was `removed`. */
  reason: z.enum(['requested', 'removed']),
});
const ReplayCompleted = replayEvent('ReplayCompleted', {});

export const replayEvents = [ReplayStarted, ReplayProgressed, ReplayCancelled, ReplayCompleted] as const;

export type ReplayEvent = EventOf<(typeof replayEvents)[number]>;
export type ReplayData = EventOf<typeof ReplayStarted>['data'];
export type Place = z.output<typeof place>;

export const replayCodec = codecFor(replayEvents);

/** The common data of an event. */
export const replayIn = (data: ReplayData): ReplayData => {
  const { replayId, orgId, listenerId, from, to, type, event, ratePerSecond, startedAt } = data;
  const { lookedAt, enqueued, share, reached } = data;
  return {
    replayId,
    orgId,
    listenerId,
    from,
    to,
    type,
    event,
    ratePerSecond,
    startedAt,
    lookedAt,
    enqueued,
    share,
    reached,
  };
};
