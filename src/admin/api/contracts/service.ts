import { z } from 'zod';
import { maxActivityMinutes } from '../../../deliveries/queries/activity.js';
import { partStatus } from '../../../http/health.js';
import { keyEntry } from '../../keys/list-keys.js';
import { adminRoutesOf } from '../routing/admin-route.js';
import { lastFailure } from './delivery.js';
import { listAnswer, orgIdField } from './fields.js';

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
  events: z.int().describe('Number of flow events that the fan-out has processed.'),
  succeeded: z.int().describe('Number of successful attempts.'),
  failed: z.int().describe('Number of failed attempts.'),
  exhausted: z.int().describe('Number of deliveries whose attempts were used up.'),
  latencyMs: percentiles.describe('Time from recording a flow event to a success at the first attempt.'),
  durationMs: percentiles.describe('Duration of an attempt.'),
};

const figures = { events: 60, succeeded: 118, failed: 2, latencyMs: { p50: 18.5, p95: 92.1 } };

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
    example: { total: figures, minutes: [figures] },
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
    example: { items: [{ hookUrl: 'https://hooks.example.com/…', lastFailure: { status: 503 } }] },
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
    example: { items: [{ hookUrl: 'https://hooks.example.com/…' }] },
  },
  access: { role: 'viewer', organisation: 'query' },
});

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
      roles: ['api', 'projector', 'dispatcher'],
      stores: 'servers',
      parts: [{ part: 'event store', ready: true }],
      dispatcher: { fanOutPartitions: 32 },
      leases: [{ name: 'view-listeners', isHeld: true }],
      eventTypeMismatches: [{ type: 'order.paid', lastReason: 'data.total: must be number' }],
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
  answer: listAnswer(keyEntry, { kind: 'master', id: '2026-01' }),
  access: { role: 'viewer', organisation: 'service' },
});

export const activityContracts = route.declared;
export const keyContracts = keyRoute.declared;
