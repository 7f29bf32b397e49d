import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

/** The same in every copy of the store, unlike the position. */
const place = z.object({ stream: z.string(), revision: z.string().regex(/^\d+$/) });

const replay = {
  replayId: z.uuid(),
  orgId: z.string(),
  listenerId: z.uuid(),
  /** Either recorded from `from` to `to`, both inclusive, of this subscription type … */
  from: z.iso.datetime().nullable(),
  to: z.iso.datetime().nullable(),
  type: z.string().nullable(),
  /** … or this event alone. */
  event: place.nullable(),
  ratePerSecond: z.number().positive(),
  startedAt: z.iso.datetime(),
  /** Up to `reached`; `share`: 0 to 1. */
  lookedAt: z.int().nonnegative(),
  enqueued: z.int().nonnegative(),
  share: z.number().min(0).max(1),
  reached: place.nullable(),
};

const replayEvent = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  defineEvent({ category: 'replay', type, version: 1, schema: z.object({ ...replay, ...shape }) });

const ReplayStarted = replayEvent('ReplayStarted', {});
const ReplayProgressed = replayEvent('ReplayProgressed', {});
export const ReplayCancelled = replayEvent('ReplayCancelled', {
  /** `removed`: the listener was; `erased`: with its organisation. */
  reason: z.enum(['requested', 'removed', 'erased']),
});
const ReplayCompleted = replayEvent('ReplayCompleted', {});

export const replayEvents = [ReplayStarted, ReplayProgressed, ReplayCancelled, ReplayCompleted] as const;

export type ReplayEvent = EventOf<(typeof replayEvents)[number]>;
export type ReplayData = EventOf<typeof ReplayStarted>['data'];
export type Place = z.output<typeof place>;

export const replayCodec = codecFor(replayEvents);

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
