import { expect } from 'chai';
import type { z } from 'zod';
import { adminContracts } from '../../../src/admin/api/all-routes.js';
import type { AnyAdminRoute } from '../../../src/admin/api/routing/admin-route.js';
import { exampleAnswer } from '../../../src/http/api-description/examples.js';
import { parseInput } from '../../../src/kernel/input/parse-input.js';

const nameOf = ({ method, path }: AnyAdminRoute) => `${method} ${path}`;

function reasonFor(schema: z.ZodType, input: unknown): string {
  try {
    parseInput(schema, input);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the contracts of the admin API', () => {
  it('are for routes of their own', () => {
    expect(adminContracts).to.have.length.above(40);
    expect(new Set(adminContracts.map(nameOf)).size).to.equal(adminContracts.length);
  });

  for (const contract of adminContracts) {
    describe(`of ${nameOf(contract)}`, () => {
      it('have examples that fit their schemas', () => {
        const { schema, alternative } = contract.answer;
        const example = exampleAnswer(contract.answer);
        expect(schema.parse(example)).to.deep.equal(example);
        if (alternative) {
          const other = exampleAnswer({ schema, ...alternative });
          expect(schema.parse(other)).to.deep.equal(other);
          expect(alternative.when(other)).to.equal(true);
          expect(alternative.when(example)).to.equal(false);
        }
        contract.body?.parse(contract.bodyExample ?? {});
      });

      it('name the parameters of their path', () => {
        const inPath = [...contract.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
        expect(Object.keys(contract.params.shape)).to.deep.equal(inPath);
      });

      it('refuse input with reasons in words, not in those of the validator', () => {
        for (const schema of [contract.query, (contract.body ?? contract.query) as z.ZodObject]) {
          for (const name of [...Object.keys(schema.shape), 'unknown']) {
            for (const value of ['', 'True', ['a', 'a'], 1.5, -1, true, {}, 'x'.repeat(3_000), null])
              expect(reasonFor(schema, { [name]: value })).not.to.match(/Invalid|Too (small|big)|xpected|Unrecogni/);
          }
        }
      });

      it('are summarised in one line', () => {
        expect(contract.summary).to.match(/^[A-Z][^\n]{3,79}[^.\s]$/);
      });
    });
  }
});
