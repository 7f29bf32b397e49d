import { z } from 'zod';
import type { RouteDescription } from '../../../http/api-description/route-description.js';
import { adminPrefix } from '../routing/admin-route.js';
import { sealAccess } from './seal-calls.js';
import { checkQuery } from './seal-routes.js';

const tag = 'Operators: audit';
const credentials = { adminKey: [sealAccess.role] };
const file = 'application/octet-stream';

const text = z.string().nullable();

export const sealCheckAnswer = z
  .strictObject({
    sealedAt: z.iso.datetime(),
    streams: z.int(),
    events: z.int(),
    thumbprint: z.string().describe('RFC 7638, of the signing key.'),
    matches: z.boolean(),
    differences: z.int().describe('Number of streams that differ.'),
    erased: z.int().describe('Number of streams whose erasure is recorded, which are no difference.'),
    findings: z
      .array(
        z.strictObject({
          stream: z.string(),
          kind: z.enum(['changed', 'removed', 'added', 'erased']),
          from: text.describe(
            'The first revision that differs is between this one and `to`; null where the stream was erased.',
          ),
          to: text,
          at: text.describe('When the stream was erased; null where it was not.'),
          by: text,
        }),
      )
      .describe('The first findings by stream name, at most 100.'),
  })
  .meta({ id: 'SealCheck', description: 'The result of a comparison of the history with a seal.' });

/** The routes of `sealRoutes`. */
export const sealDescriptions: readonly RouteDescription[] = [
  {
    method: 'post',
    path: `${adminPrefix}/audit/seals`,
    tag,
    summary: 'Make a seal of the history',
    description:
      'A signed digest of every listener, session, API key and consent up to now, with which later changes are found. The whole history ' +
      'is read before the answer begins, at about 50,000 events a second; one seal at a time on each instance.',
    credentials,
    answers: { 200: { description: 'The file of the seal.', type: file, schema: z.string() } },
    errors: ['seal_refused', 'seal_work_under_way'],
  },
  {
    method: 'post',
    path: `${adminPrefix}/audit/seals/check`,
    tag,
    summary: 'Compare the history with a seal',
    description: 'The body is the file of a seal, at most 256 MiB. It changes nothing.',
    credentials,
    query: checkQuery.shape,
    body: { schema: z.string(), types: [file], example: 'eyJhbGciOiJFUzI1NiIsInR5cCI6…' },
    answers: {
      200: {
        description: 'The result.',
        schema: sealCheckAnswer,
        example: {
          sealedAt: '2026-01-31T12:00:00.000Z',
          streams: 5,
          events: 8,
          thumbprint: 'BHznkTGwS2VLP1JZIaRK9k5_bUlcK2_bz4-QUcGJ1tI',
          matches: true,
          differences: 0,
          erased: 0,
          findings: [],
        },
      },
    },
    errors: ['invalid_request', 'seal_not_genuine', 'seal_work_under_way', 'payload_too_large', 'request_timeout'],
  },
];
