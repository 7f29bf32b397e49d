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

  it('is refused with a short text, however much of it is wrong', () =>
    expect(() => parseInput(z.array(z.number({ error: 'must be a number' })), Array(5_000).fill('x'))).to.throw(
      InvalidRequest,
      /^(\d+: must be a number; ){20}and 4980 more$/,
    ));
});
