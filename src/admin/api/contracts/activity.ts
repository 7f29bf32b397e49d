import { z } from 'zod';
import { maxActivityMinutes } from '../../../deliveries/queries/activity.js';
import { adminRoute } from '../routing/admin-route.js';

const subject = 'activity';

/** A whole number in a query string. */
function numberUpTo(most: number) {
  const wrong = { error: `must be a whole number from 1 to ${most}` };
  return z
    .string(wrong)
    .regex(/^\d{1,4}$/, wrong)
    .transform(Number)
    .pipe(z.int(wrong).min(1, wrong).max(most, wrong));
}

const percentiles = z.strictObject({ p50: z.number().nullable(), p95: z.number().nullable() }).meta({
  id: 'Percentiles',
  description: 'Milliseconds, estimated from a histogram; null where there was none.',
});

const counts = {
  events: z.int().describe('Flow events that the fan-out has processed.'),
  succeeded: z.int().describe('Attempts.'),
  failed: z.int().describe('Attempts.'),
  exhausted: z.int().describe('Deliveries whose attempts were used up.'),
  latencyMs: percentiles.describe('From recording a flow event to a success at the first attempt.'),
  durationMs: percentiles.describe('Of an attempt.'),
};

const example = {
  events: 60,
  succeeded: 118,
  failed: 2,
  exhausted: 0,
  latencyMs: { p50: 18.5, p95: 92.1 },
  durationMs: { p50: 12.2, p95: 88.4 },
};

export const showActivityRoute = adminRoute({
  method: 'get',
  path: '/activity',
  subject,
  summary: 'Show the activity of the service by minute',
  description:
    'Of all organisations and instances together: the latest minutes, of which the last is the current one. The activity of a ' +
    'day is kept.',
  query: { minutes: numberUpTo(maxActivityMinutes).default(60) },
  answer: {
    schema: z
      .strictObject({
        total: z.strictObject(counts),
        minutes: z.array(z.strictObject({ at: z.iso.datetime().describe('When the minute began.'), ...counts })),
      })
      .meta({ id: 'Activity' }),
    example: { total: example, minutes: [{ at: '2026-01-31T12:00:00.000Z', ...example }] },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

const listenerInTrouble = z
  .strictObject({
    listenerId: z.uuid(),
    orgId: z.string(),
    hookUrl: z.string().describe('Its origin: the URL itself is a capability.'),
    trouble: z.enum(['breaker', 'paused', 'overdue']),
    failingSince: z.iso.datetime().nullable().describe('When the first of the failed attempts in a row was made.'),
    failedAttempts: z.int().describe('In a row, until now.'),
    openUntil: z.iso.datetime().nullable().describe('Until when the circuit breaker keeps deliveries back.'),
    dueSince: z.iso.datetime().nullable().describe('When the longest waiting of its deliveries became or becomes due.'),
  })
  .meta({ id: 'ListenerInTrouble' });

const maxListeners = 50;

export const listListenersInTroubleRoute = adminRoute({
  method: 'get',
  path: '/listeners-in-trouble',
  subject,
  summary: 'List listeners whose deliveries do not get through',
  description:
    'Of all organisations: first listeners whose circuit breaker is open (`breaker`), then listeners that failed until they were paused ' +
    '(`paused`), then listeners with deliveries that are due for more than a minute (`overdue`), the longest first.',
  query: { limit: numberUpTo(maxListeners).default(maxListeners) },
  answer: {
    schema: z.strictObject({ items: z.array(listenerInTrouble) }),
    example: {
      items: [
        {
          listenerId: '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11',
          orgId: 'acme',
          hookUrl: 'https://hooks.example.com/…',
          trouble: 'breaker',
          failingSince: '2026-01-31T11:48:00.000Z',
          failedAttempts: 31,
          openUntil: '2026-01-31T12:04:00.000Z',
          dueSince: '2026-01-31T11:49:10.000Z',
        },
      ],
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const activityContracts = [showActivityRoute, listListenersInTroubleRoute];
