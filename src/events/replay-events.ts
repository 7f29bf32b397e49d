import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** An event by its place in its stream, which is the same in every store that it is copied to. */
const place = z.object({ stream: z.string(), revision: z.string().regex(/^\d+$/) });

/** What every event of a replay says, so that the last one alone is enough to go on with it. */
const replay = {
  replayId: z.uuid(),
  orgId: z.string(),
  /** The one registration that it is for. */
  listenerId: z.uuid(),
  /** Of which flow events: recorded from `from` to `to`, both inclusive, whose type this subscription type selects … */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  type: z.string().nullable(),
  /** … or just this one. */
  event: place.nullable(),
  ratePerSecond: z.number().positive(),
  startedAt: z.iso.datetime(),
  /** How many flow events have been looked at and enqueued up to `reached`; `share` of the way, 0 to 1. */
  lookedAt: z.int().nonnegative(),
  enqueued: z.int().nonnegative(),
  share: z.number().min(0).max(1),
  reached: place.nullable(),
};

const replayEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'replay', type, version: 1, schema: z.object({ ...replay, ...shape }) });

export const ReplayStarted = replayEvent('ReplayStarted', {});
/** Said now and then, and where a run ends early: the next one goes on from there. */
export const ReplayProgressed = replayEvent('ReplayProgressed', {});
export const ReplayCancelled = replayEvent('ReplayCancelled', {
  /** `requested` by an operator, or the hook was `removed`. */
  reason: z.enum(['requested', 'removed']),
});
export const ReplayCompleted = replayEvent('ReplayCompleted', {});

export const replayEvents = [ReplayStarted, ReplayProgressed, ReplayCancelled, ReplayCompleted] as const;

export type ReplayEvent = EventOf<(typeof replayEvents)[number]>;
export type ReplayData = EventOf<typeof ReplayStarted>['data'];
export type Place = z.output<typeof place>;

export const replayCodec = codecFor(replayEvents);

/** What every event says, of one of them. */
export const replayIn = (data: ReplayData): ReplayData => {
  const { replayId, orgId, listenerId, from, to, type, event, ratePerSecond, startedAt } = data;
  const { lookedAt, enqueued, share, reached } = data;
  return {
    ...{ replayId, orgId, listenerId, from, to, type, event, ratePerSecond, startedAt },
    ...{ lookedAt, enqueued, share, reached },
  };
};
