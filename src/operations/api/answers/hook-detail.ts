import { z } from 'zod';
import { hookAnswer, hookExample } from './hook.js';
import { exampleTimes, positionText, time, timeOrNull } from './values.js';

const { state: _, pausedBy, since: __, ...registration } = hookAnswer.shape;

const hookHealth = z
  .strictObject({
    breaker: z.enum(['closed', 'open', 'probing']),
    openUntil: timeOrNull.describe('Until then the open circuit breaker keeps deliveries back.'),
    failingSince: timeOrNull.describe('Since when every attempt has failed.'),
    failures: z.int().nonnegative().describe('Number of attempts that have failed since then.'),
    pacePerSecond: z.number().nullable().describe('The rate that the hook accepts, found by its answers 429 and 503.'),
    notBefore: timeOrNull.describe('The hook has asked for no attempts until then (Retry-After).'),
  })
  .meta({ id: 'HookHealth', description: 'The result of recent attempts.' });

export const foundHookAnswer = z
  .strictObject({
    ...registration,
    status: z
      .enum(['active', 'failing', 'paused', 'paused-failing', 'replaced', 'ended'])
      .describe('`failing`: active, and failures were recorded; `paused-failing`: paused by the service for them.'),
    since: time.describe('When its latest period began.'),
    health: hookHealth,
  })
  .meta({ id: 'FoundHook', description: 'A hook that a search has found.' });

export const hookDetailAnswer = z
  .strictObject({
    ...registration,
    state: z.enum(['active', 'paused', 'ended']),
    pausedBy,
    since: time.describe('Since when the registration has been as it is; of an ended one, when it ended.'),
    endReason: z.string().nullable().describe('`requested` by the platform, `gone` (410), or by an `operator`.'),
    replacedBy: z.uuid().nullable().describe('The ID of the later registration of the URL, if there is one.'),
    firstRegisteredAt: time.describe('When the URL was first registered for the organisation.'),
    health: hookHealth,
    held: z.int().nonnegative().describe('Number of held deliveries, counted up to 1,000.'),
  })
  .meta({ id: 'HookDetail', description: 'A hook, current or ended.' });

export const hookAsOfAnswer = z
  .strictObject({
    at: time,
    state: z
      .enum(['none', 'active', 'paused', 'ended'])
      .describe('`none`: the URL had never been registered until then; `ended`: it was registered no more.'),
    registration: z
      .strictObject(registration)
      .nullable()
      .describe('Of another ID, if another registration of the URL was current then.'),
    change: z
      .strictObject({ type: z.string(), at: time, revision: positionText })
      .nullable()
      .describe('The last change until then.'),
    previousAt: timeOrNull.describe('The time of the last change before the instant.'),
    nextAt: timeOrNull.describe('The time of the first change after the instant.'),
  })
  .meta({ id: 'HookAsOf', description: 'A hook at an instant.' });

const { state, since, pausedBy: ___, ...registrationExample } = hookExample;

const healthExample = {
  breaker: 'open',
  openUntil: exampleTimes.after,
  failingSince: exampleTimes.before,
  failures: 12,
  pacePerSecond: null,
  notBefore: null,
} as const;

export const foundHookExample = { ...registrationExample, status: 'active', since, health: healthExample } as const;

export const hookDetailExample = {
  ...registrationExample,
  state,
  pausedBy: null,
  since,
  endReason: null,
  replacedBy: null,
  firstRegisteredAt: exampleTimes.before,
  health: healthExample,
  held: 0,
} as const;

export const hookAsOfExample = {
  at: exampleTimes.at,
  state: 'active',
  registration: registrationExample,
  change: { type: 'ListenerSubscribed', at: exampleTimes.before, revision: '0' },
  previousAt: exampleTimes.before,
  nextAt: null,
} as const;
