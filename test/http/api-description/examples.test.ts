import { expect } from 'chai';
import { z } from 'zod';
import { exampleOf } from '../../../src/http/api-description/examples.js';

describe('the example of a schema', () => {
  const schema = z.strictObject({
    orgId: z.string(),
    createdAt: z.iso.datetime(),
    state: z.enum(['running', 'ended']),
    endedAt: z.iso.datetime().nullable(),
    attempts: z.array(z.strictObject({ durationMs: z.number(), error: z.string().nullable() })),
    note: z.string().optional(),
  });
  const usual = {
    orgId: 'acme',
    createdAt: '2026-01-31T11:00:00.000Z',
    state: 'running',
    endedAt: null,
    attempts: [{ durationMs: 42, error: null }],
  };

  it('has the usual values of its fields, by their names and kinds, and none that may be absent', () =>
    expect(exampleOf(schema)).to.deep.equal(usual));

  it('has the given parts at any depth, also null and fields that may be absent', () =>
    expect(
      exampleOf(schema, { orgId: 'globex', attempts: [{ error: 'timeout' }, {}], endedAt: usual.createdAt, note: 'x' }),
    ).to.deep.equal({
      ...usual,
      orgId: 'globex',
      attempts: [{ durationMs: 42, error: 'timeout' }, ...usual.attempts],
      endedAt: usual.createdAt,
      note: 'x',
    }));

  it('takes a value that is usual for a name only where the schema accepts it', () =>
    expect(exampleOf(z.strictObject({ orgId: z.int(), status: z.enum(['open']) }))).to.deep.equal({
      orgId: 0,
      status: 'open',
    }));

  it('completes the choice that the given parts are of', () => {
    const choice = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('event'), eventId: z.string(), type: z.string() }),
      z.strictObject({ kind: z.literal('gap') }),
    ]);
    expect(exampleOf(choice, { type: 'order.paid' })).to.deep.equal({
      kind: 'event',
      eventId: 'order-4711',
      type: 'order.paid',
    });
    expect(exampleOf(choice, { kind: 'gap' })).to.deep.equal({ kind: 'gap' });
  });
});
