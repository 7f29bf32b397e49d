import { z } from 'zod';
import { adminRoute } from '../routing/admin-route.js';

const subject = 'Views';
const params = { name: z.string() };

const progress = z.strictObject({
  phase: z.enum(['folding', 'comparing']),
  done: z.string().describe('While folding a position, while comparing a number of documents.'),
  total: z.string(),
});

const difference = z.strictObject({
  view: z.string(),
  kind: z.enum(['missing', 'surplus', 'different', 'not-built', 'unreadable', 'skipped']),
  key: z.string().nullable(),
  fields: z.record(z.string(), z.strictObject({ expected: z.json(), actual: z.json() })),
  message: z.string().nullable(),
});

const verification = z
  .strictObject({
    name: z.string(),
    running: progress.nullable().describe('By any instance; `POST /projections/{name}/cancel` cancels it.'),
    last: z
      .strictObject({
        startedAt: z.iso.datetime(),
        endedAt: z.iso.datetime(),
        outcome: z.enum(['matches', 'differs', 'cancelled', 'failed', 'stopped']),
        differences: z.int(),
        skipped: z.int().describe("Events that the view leaves out by an operator's decision."),
        first: z.array(difference).describe('The first of them, at most 20.'),
        failure: z.string().nullable(),
      })
      .nullable()
      .describe('The last verification of this view by the instance that answers, since its start.'),
  })
  .meta({ id: 'Verification' });

const example = {
  name: 'listeners',
  running: { phase: 'folding' as const, done: '120000', total: '300000' },
  last: null,
};

export const startVerificationRoute = adminRoute({
  method: 'post',
  path: '/projections/:name/verify',
  subject,
  summary: 'Verify a view on this instance',
  description:
    'Folds all events again, into a temporary directory of this instance, and compares the documents with those of the live view.',
  params,
  answer: { status: 202, schema: verification, example },
  errors: ['not_found', 'rebuild_under_way'],
  access: { role: 'operator', organisation: 'service' },
});

export const showVerificationRoute = adminRoute({
  method: 'get',
  path: '/projections/:name/verification',
  subject,
  summary: 'Show the running verification of a view, and the last result',
  params,
  answer: { schema: verification, example },
  errors: ['not_found'],
  access: { role: 'viewer', organisation: 'service' },
});

export const verificationContracts = [startVerificationRoute, showVerificationRoute];
