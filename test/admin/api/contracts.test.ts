import { expect } from 'chai';
import { adminContracts } from '../../../src/admin/api/descriptions.js';
import type { AnyAdminRoute } from '../../../src/admin/api/routing/admin-route.js';

const nameOf = ({ method, path }: AnyAdminRoute) => `${method} ${path}`;

describe('the contracts of the admin API', () => {
  it('are for routes of their own', () => {
    expect(adminContracts).to.have.length.above(40);
    expect(new Set(adminContracts.map(nameOf)).size).to.equal(adminContracts.length);
  });

  for (const contract of adminContracts) {
    describe(`of ${nameOf(contract)}`, () => {
      it('have examples that fit their schemas', () => {
        const { schema, example, alternative } = contract.answer;
        expect(schema.parse(example)).to.deep.equal(example);
        if (alternative) {
          expect(schema.parse(alternative.example)).to.deep.equal(alternative.example);
          expect(alternative.when(alternative.example)).to.equal(true);
          expect(alternative.when(example)).to.equal(false);
        }
        contract.body?.parse(contract.bodyExample ?? {});
      });

      it('name the parameters of their path', () => {
        const inPath = [...contract.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
        expect(Object.keys(contract.params.shape)).to.deep.equal(inPath);
      });

      it('are summarised in one line', () => {
        expect(contract.summary).to.match(/^[A-Z][^\n]{3,79}[^.\s]$/);
      });
    });
  }
});
