import { z } from 'zod';
import { jsonValue } from '../../../kernel/input/json-value.js';

const progress = z.strictObject({
  phase: z.enum(['folding', 'comparing']),
  done: z.string().describe('While folding a position, while comparing a number of documents.'),
  total: z.string(),
});

const difference = z.strictObject({
  view: z.string(),
  kind: z.enum(['missing', 'surplus', 'different', 'not-built', 'unreadable', 'skipped']),
  key: z.string().nullable(),
  fields: z.record(z.string(), z.strictObject({ expected: jsonValue, actual: jsonValue })),
  message: z.string().nullable(),
});

export const verificationAnswer = z
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

export const verificationExample = {
  name: 'listeners',
  running: { phase: 'folding' as const, done: '120000', total: '300000' },
  last: null,
};
