import { expect } from 'chai';
import { z } from 'zod';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { parseInput } from '../../../src/kernel/input/parse-input.js';
import { opaqueId } from '../../../src/kernel/input/texts.js';

describe('input that is not valid', () => {
  it('is refused with all errors and their places', () =>
    expect(() => parseInput(z.object({ a: z.number(), b: z.string() }), { a: 'x' })).to.throw(
      InvalidRequest,
      /^a: .*; b: is missing$/,
    ));

  it('is refused as missing where an ID is left out', () => {
    const message = (input: object) => () => parseInput(z.object({ orgId: opaqueId }), input);
    expect(message({})).to.throw(InvalidRequest, 'orgId: is missing');
    expect(message({ orgId: 1 })).to.throw(InvalidRequest, 'orgId: must be a string');
  });

  const schema = z.object({
    counted: z.enum(['true', 'false']).optional(),
    name: z.string().min(1).max(3).optional(),
    count: z.int().min(1).max(9).optional(),
    names: z.array(z.string()).max(1).optional(),
    at: z.iso.datetime().optional(),
    id: z.uuid().optional(),
    kind: z.union([z.literal(1), z.literal('one')]).optional(),
    only: z.literal('1.0').optional(),
    facts: z.record(z.string(), z.string()).optional(),
    isOpen: z.boolean().optional(),
  });
  for (const [input, reason] of [
    [{ counted: 'True' }, 'counted: must be true or false'],
    [{ counted: ['true', 'true'] }, 'counted: must be true or false, and sent once'],
    [{ name: ['a', 'b'] }, 'name: must be a string, and sent once'],
    [{ name: '' }, 'name: must have at least 1 character'],
    [{ name: 'abcd' }, 'name: must have at most 3 characters'],
    [{ count: 1.5 }, 'count: must be a whole number'],
    [{ count: '1' }, 'count: must be a number'],
    [{ count: 10 }, 'count: must be at most 9'],
    [{ names: 'a' }, 'names: must be an array'],
    [{ names: ['a', 'b'] }, 'names: must have at most 1 item'],
    [{ at: 'today' }, 'at: must be an ISO 8601 date and time'],
    [{ id: '1' }, 'id: must be a UUID'],
    [{ kind: 2 }, 'kind: is not valid'],
    [{ only: '0.3' }, 'only: must be 1.0'],
    [{ facts: ['a'] }, 'facts: must be an object'],
    [{ isOpen: 'yes' }, 'isOpen: must be true or false'],
    [null, 'send a JSON object'],
    ['{}', 'send a JSON object: this is a JSON string, probably of an object that was serialised twice'],
  ] as const) {
    it(`is refused with a reason in words: ${reason}`, () =>
      expect(() => parseInput(schema, input)).to.throw(InvalidRequest, reason));
  }

  it('is refused with a short text, however much of it is wrong', () =>
    expect(() => parseInput(z.array(z.number({ error: 'must be a number' })), Array(5_000).fill('x'))).to.throw(
      InvalidRequest,
      /^(\d+: must be a number; ){20}and 4980 more$/,
    ));
});
