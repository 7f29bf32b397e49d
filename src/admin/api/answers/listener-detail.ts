import { z } from 'zod';
import { listenerAnswer, listenerExample } from './listener.js';
import { exampleTimes, positionText, time, timeOrNull } from './values.js';

const { state: _, pausedBy, since: __, ...details } = listenerAnswer.shape;

const listenerHealth = z
  .strictObject({
    breaker: z.enum(['closed', 'open', 'probing']),
    openUntil: timeOrNull.describe('Until then the open circuit breaker keeps deliveries back.'),
    failingSince: timeOrNull.describe('Since when every attempt has failed.'),
    failures: z.int().nonnegative().describe('Number of attempts that have failed since then.'),
    pacePerSecond: z
      .number()
      .nullable()
      .describe('The rate that the listener accepts, found by its answers 429 and 503.'),
    notBefore: timeOrNull.describe('The listener has asked for no attempts until then (Retry-After).'),
  })
  .meta({ id: 'ListenerHealth', description: 'The result of recent attempts.' });

export const foundListenerAnswer = z
  .strictObject({
    ...details,
    status: z
      .enum(['active', 'failing', 'paused', 'paused-failing', 'replaced', 'ended'])
      .describe('`failing`: active, and failures were recorded; `paused-failing`: paused by the service for them.'),
    since: time.describe('When its latest period began.'),
    health: listenerHealth,
  })
  .meta({ id: 'FoundListener', description: 'A listener that a search has found.' });

export const listenerDetailAnswer = z
  .strictObject({
    ...details,
    state: z.enum(['active', 'paused', 'ended']),
    pausedBy,
    since: time.describe('Since when the listener has been as it is; of an ended one, when it ended.'),
    endReason: z.string().nullable().describe('`requested` by the platform, `gone` (410), or by an `operator`.'),
    replacedBy: z.uuid().nullable().describe('The ID of the later listener, if there is one.'),
    firstRegisteredAt: time.describe('When the URL was first registered for the organisation.'),
    health: listenerHealth,
    held: z.int().nonnegative().describe('Number of held deliveries, counted up to 1,000.'),
  })
  .meta({ id: 'ListenerDetail', description: 'A listener, current or ended.' });

export const listenerAsOfAnswer = z
  .strictObject({
    at: time,
    state: z
      .enum(['none', 'active', 'paused', 'ended'])
      .describe('`none`: the URL had never been registered until then; `ended`: it was registered no more.'),
    details: z
      .strictObject(details)
      .nullable()
      .describe('Of another ID, if another listener of the URL was current then.'),
    change: z
      .strictObject({ type: z.string(), at: time, revision: positionText })
      .nullable()
      .describe('The last change until then.'),
    previousAt: timeOrNull.describe('The time of the last change before the instant.'),
    nextAt: timeOrNull.describe('The time of the first change after the instant.'),
  })
  .meta({ id: 'ListenerAsOf', description: 'A listener at an instant.' });

const { state, since, pausedBy: ___, ...detailsExample } = listenerExample;

const healthExample = {
  breaker: 'open',
  openUntil: exampleTimes.after,
  failingSince: exampleTimes.before,
  failures: 12,
  pacePerSecond: null,
  notBefore: null,
} as const;

export const foundListenerExample = { ...detailsExample, status: 'active', since, health: healthExample } as const;

export const listenerDetailExample = {
  ...detailsExample,
  state,
  pausedBy: null,
  since,
  endReason: null,
  replacedBy: null,
  firstRegisteredAt: exampleTimes.before,
  health: healthExample,
  held: 0,
} as const;

export const listenerAsOfExample = {
  at: exampleTimes.at,
  state: 'active',
  details: detailsExample,
  change: { type: 'ListenerSubscribed', at: exampleTimes.before, revision: '0' },
  previousAt: exampleTimes.before,
  nextAt: null,
} as const;
