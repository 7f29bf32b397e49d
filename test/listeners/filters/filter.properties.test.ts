import { expect } from 'chai';
import fc from 'fast-check';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { filterText, mismatches, selects } from '../../../src/listeners/filters/filter.js';
import { anyData, anyFilter } from '../../support/filters/any-filter.js';
import { matchesByReference } from '../../support/filters/reference-filter.js';

describe('any filter', () => {
  it('selects the events that MongoDB would find', () =>
    fc.assert(
      fc.property(anyFilter, anyData, (filter, data) => {
        const event = { id: 'e1', type: 'flow.completed', data };
        expect(selects(filterText(filter), event)).to.equal(matchesByReference(filter, event));
      }),
      { numRuns: 3_000 },
    ));

  it('gives a reason where, and only where, it excludes an event', () =>
    fc.assert(
      fc.property(anyFilter, anyData, (filter, data) => {
        const text = filterText(filter);
        const reasons = mismatches(text, { data });
        expect(reasons.length === 0).to.equal(selects(text, { data }));
        for (const { condition, operand, found } of reasons) {
          expect(condition).to.match(/^(data\.|\$)/);
          expect(operand.length + (found?.length ?? 0)).to.be.below(500);
        }
      }),
    ));

  it('of any JSON is stored, or refused as an invalid request', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.jsonValue().map((value) => ({ 'data.a': value })),
        ),
        (input) => {
          try {
            selects(filterText(input), { data: input });
          } catch (error) {
            expect(error).to.be.instanceOf(InvalidRequest);
          }
        },
      ),
    ));
});
