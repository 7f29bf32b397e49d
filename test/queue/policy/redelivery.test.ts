import { expect } from 'chai';
import { redeliveryPage, redeliveryQuery } from '../../../src/queue/delivery-pages.js';

const pageOf = (rows: readonly number[], limit?: number) =>
  redeliveryPage(rows, limit === undefined ? { orgId: 'acme' } : { orgId: 'acme', limit }, {
    isServed: (row) => row % 2 === 0,
    cursorOf: (row) => `after ${row}`,
  });

describe('a page of redeliveries', () => {
  it('requests one more than a page, by default a hundred and one', () => {
    expect(redeliveryQuery({ orgId: 'acme', limit: 2 })).to.deep.equal({ orgId: 'acme', limit: 3 });
    expect(redeliveryQuery({ orgId: 'acme' })).to.deep.equal({ orgId: 'acme', limit: 101 });
  });

  it('has the deliveries of listeners that are served, the earliest flow event first', () => {
    expect(pageOf([6, 5, 4, 3])).to.deep.equal({ selected: [4, 6], next: undefined });
  });

  it('is followed by another after its last delivery, also one that is not served', () => {
    expect(pageOf([6, 5, 4], 2)).to.deep.equal({ selected: [6], next: 'after 5' });
    expect(pageOf([6, 5], 2)).to.deep.equal({ selected: [6], next: undefined });
    expect(pageOf([], 2)).to.deep.equal({ selected: [], next: undefined });
  });
});
