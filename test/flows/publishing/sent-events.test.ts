import { expect } from 'chai';
import { batchItems } from '../../../src/flows/publishing/sent-events.js';
import { PayloadTooLarge } from '../../../src/http/errors.js';

const megabyte = 1_024 * 1_024;

describe('the events of a batch in lines', () => {
  it('have the numbers of their lines, empty lines included, for any line ending', () => {
    const items = batchItems('{"id":"a"}\r\n\r\n \n{"id":"b"}\n\n{', 'event lines');
    expect(items.map(({ line, id }) => [line, id])).to.deep.equal([
      [1, 'a'],
      [4, 'b'],
      [6, undefined],
    ]);
  });

  it('of millions of empty lines are none, in little memory', () => {
    const before = process.memoryUsage().heapUsed;
    expect(batchItems('\n'.repeat(4 * megabyte), 'event lines')).to.deep.equal([]);
    expect(process.memoryUsage().heapUsed - before).to.be.below(32 * megabyte);
  });

  it('of millions of lines are too many', () =>
    expect(() => batchItems('1\n'.repeat(2 * megabyte), 'event lines')).to.throw(
      PayloadTooLarge,
      'the batch has 2097152 events, over the limit of 1000',
    ));
});
