import { z } from 'zod';
import { maxActivityMinutes } from '../../../deliveries/queries/activity.js';
import { partStatus } from '../../../http/health.js';
import { keyEntry } from '../../keys/list-keys.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { lastFailure, lastFailureExample } from './delivery.js';
import { exampleTimes, listAnswer, orgIdField } from './fields.js';

const keyRoute = adminRoutesOf('keys');

const route = adminRoutesOf('activity');

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
  latencyMs: percentiles.describe('Time from recording a flow event to a success at the first attempt.'),
  durationMs: percentiles.describe('Duration of an attempt.'),
};

const example = {
  events: 60,
  succeeded: 118,
  failed: 2,
  exhausted: 0,
  latencyMs: { p50: 18.5, p95: 92.1 },
  durationMs: { p50: 12.2, p95: 88.4 },
};

export const showActivityRoute = route('showActivity', 'get', '/activity', {
  summary: 'Show the activity of the service by minute',
  description:
    'Activity of all organisations and instances together: the latest minutes, of which the last is the current one. The activity of a ' +
    'day is kept.',
  query: { minutes: numberUpTo(maxActivityMinutes).default(60) },
  answer: {
    schema: z
      .strictObject({
        total: z.strictObject(counts),
        minutes: z.array(z.strictObject({ at: z.iso.datetime().describe('The beginning of the minute.'), ...counts })),
      })
      .meta({ id: 'Activity' }),
    example: { total: example, minutes: [{ at: '2026-01-31T12:00:00.000Z', ...example }] },
  },
  access: { role: 'viewer', organisation: 'service' },
});

const listenerInTrouble = z
  .strictObject({
    listenerId: z.uuid(),
    orgId: z.string(),
    hookUrl: z.string().describe('Its origin: the URL itself is a capability.'),
    trouble: z.enum(['breaker', 'paused', 'overdue']),
    failingSince: z.iso.datetime().nullable().describe('Time of the first of the failed attempts in a row.'),
    failedAttempts: z.int().describe('Number of failed attempts in a row.'),
    openUntil: z.iso.datetime().nullable().describe('The circuit breaker keeps deliveries back until then.'),
    dueSince: z.iso
      .datetime()
      .nullable()
      .describe('Time at which the longest waiting of its deliveries became or becomes due.'),
    lastFailure: lastFailure.nullable(),
    waiting: z.int().nonnegative().describe('Number of waiting deliveries.'),
    held: z.int().nonnegative().describe('Number of held deliveries.'),
  })
  .meta({ id: 'ListenerInTrouble' });

const maxListeners = 1_000;

export const listListenersInTroubleRoute = route('listListenersInTrouble', 'get', '/listeners-in-trouble', {
  summary: 'List listeners whose deliveries do not get through',
  description:
    'Listeners of all organisations: first those whose circuit breaker is open (`breaker`), then listeners that failed until they were paused ' +
    '(`paused`), then listeners with deliveries that are due for more than a minute (`overdue`), the longest first. A listener that waits ' +
    'for its own rate is not in trouble.',
  query: { limit: numberUpTo(maxListeners).default(50) },
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
          lastFailure: lastFailureExample,
          waiting: 412,
          held: 0,
        },
      ],
    },
  },
  access: { role: 'viewer', organisation: 'service' },
});

export const listBacklogRoute = route('listBacklog', 'get', '/backlog', {
  summary: 'Count waiting and held deliveries by listener',
  description: 'Listeners of an organisation or of all, those with the most first.',
  query: { orgId: orgIdField.optional(), limit: numberUpTo(maxListeners).default(100) },
  answer: {
    schema: z.strictObject({
      items: z.array(
        z
          .strictObject({
            listenerId: z.uuid(),
            orgId: z.string(),
            hookUrl: z.string().describe('Its origin: the URL itself is a capability.'),
            waiting: z.int().nonnegative(),
            held: z.int().nonnegative(),
          })
          .meta({ id: 'ListenerBacklog' }),
      ),
    }),
    example: {
      items: [
        {
          listenerId: '0c9b6b52-8f0e-4a7d-9a59-1d1d3f6f3a11',
          orgId: 'acme',
          hookUrl: 'https://hooks.example.com/…',
          waiting: 412,
          held: 0,
        },
      ],
    },
  },
  access: { role: 'viewer', organisation: 'query' },
});

export const activityContracts = [showActivityRoute, listListenersInTroubleRoute, listBacklogRoute];

export const showServiceRoute = route('showService', 'get', '/service', {
  summary: 'Show the state of this instance',
  description:
    'The instance that answers: its version, its tasks, and whether each part of it is ready. Without any secret.',
  answer: {
    schema: z
      .strictObject({
        version: z.string(),
        nodeVersion: z.string(),
        mode: z.enum(['development', 'production']),
        host: z.string().describe('The name of the machine.'),
        startedAt: z.iso.datetime(),
        roles: z.array(z.enum(['api', 'projector', 'dispatcher'])),
        stores: z.enum(['embedded', 'servers']).describe('`servers`: EventStoreDB and MongoDB.'),
        memoryBytes: z.int().describe('Resident memory of the process.'),
        parts: z.array(partStatus),
        dispatcher: z
          .strictObject({
            fanOutPosition: z
              .string()
              .nullable()
              .describe(
                'This instance has fanned out all events of its partitions up to this position; null while it has none.',
              ),
            fanOutPartitions: z.int().nonnegative().describe('Number of partitions that this instance fans out.'),
            attemptsUnderWay: z.int(),
          })
          .nullable()
          .describe('Null if this instance delivers nothing.'),
        leases: z
          .array(z.strictObject({ name: z.string(), isHeld: z.boolean(), holder: z.string().nullable() }))
          .describe('Leaderships for which this instance competes, with the leader of each.'),
        eventTypeMismatches: z
          .array(
            z.strictObject({
              type: z.string(),
              warned: z.int().nonnegative(),
              refused: z.int().nonnegative(),
              lastAt: z.iso.datetime(),
              lastReason: z.string(),
            }),
          )
          .describe(
            'Flow events that were published at this instance since it started and did not match their event type, by type: accepted ' +
              'with a warning, or refused.',
          ),
        unsafe: z
          .array(z.strictObject({ setting: z.string(), voids: z.string() }))
          .describe('Settings of production whose values void a protection, which `UNSAFE` permits.'),
      })
      .meta({ id: 'Service' }),
    example: {
      version: '1.4.0',
      nodeVersion: '24.21.0',
      mode: 'production',
      host: 'api-1',
      startedAt: exampleTimes.before,
      roles: ['api', 'projector', 'dispatcher'],
      stores: 'servers',
      memoryBytes: 180_000_000,
      parts: [{ part: 'event store', ready: true }],
      dispatcher: { fanOutPosition: '4712', fanOutPartitions: 32, attemptsUnderWay: 3 },
      leases: [{ name: 'view-listeners', isHeld: true, holder: 'api-1' }],
      eventTypeMismatches: [
        {
          type: 'order.paid',
          warned: 0,
          refused: 2,
          lastAt: exampleTimes.at,
          lastReason: 'data.total: must be number',
        },
      ],
      unsafe: [
        { setting: 'ALLOW_HTTP', voids: 'deliveries to listeners without TLS can be read and changed on their way' },
      ],
    },
  },
  access: { role: 'viewer', organisation: 'service' },
});

export const listKeysRoute = keyRoute('listKeys', 'get', '/keys', {
  summary: 'List the signing keys and master keys',
  description: 'Keys of this instance and of the record, without key material.',
  answer: listAnswer(keyEntry, {
    kind: 'master',
    id: '2026-01',
    kid: null,
    state: 'current',
    from: exampleTimes.before,
  }),
  access: { role: 'viewer', organisation: 'service' },
});

export const serviceContracts = [showServiceRoute, listKeysRoute];
