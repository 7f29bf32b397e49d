import { z } from 'zod';
import { partStatus } from '../../../http/health.js';
import { keyAnswer } from '../answers/credentials.js';
import { exampleTimes } from '../answers/values.js';
import { adminRoute } from '../routing/admin-route.js';
import { listOf } from './fields.js';

export const showServiceRoute = adminRoute({
  method: 'get',
  path: '/service',
  subject: 'activity',
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
              .describe('Everything up to here has been fanned out by this instance.'),
            attemptsUnderWay: z.int(),
          })
          .nullable()
          .describe('Null if this instance delivers nothing.'),
        leases: z
          .array(z.strictObject({ name: z.string(), isHeld: z.boolean(), holder: z.string().nullable() }))
          .describe('Leaderships for which this instance competes: whether it is the leader, and who else is.'),
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
      })
      .meta({ id: 'Service' }),
    example: {
      version: '1.4.0',
      nodeVersion: '24.21.0',
      mode: 'production',
      host: 'listeners-1',
      startedAt: exampleTimes.before,
      roles: ['api', 'projector', 'dispatcher'],
      stores: 'servers',
      memoryBytes: 180_000_000,
      parts: [{ part: 'event store', ready: true }],
      dispatcher: { fanOutPosition: '4712', attemptsUnderWay: 3 },
      leases: [{ name: 'view-listeners', isHeld: true, holder: 'listeners-1' }],
      eventTypeMismatches: [
        {
          type: 'order.paid',
          warned: 0,
          refused: 2,
          lastAt: exampleTimes.at,
          lastReason: 'data.total: must be number',
        },
      ],
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const listKeysRoute = adminRoute({
  method: 'get',
  path: '/keys',
  subject: 'keys',
  summary: 'List the signing keys and master keys',
  description: 'Of this instance and of the record, without key material.',
  answer: {
    schema: listOf(keyAnswer),
    example: {
      items: [{ kind: 'master', id: '2026-01', kid: null, state: 'current', from: exampleTimes.before }],
      next: null,
    },
  },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const serviceContracts = [showServiceRoute, listKeysRoute];
