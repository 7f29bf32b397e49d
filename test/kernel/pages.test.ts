import { expect } from 'chai';
import { type PageRequest, pages } from '../../src/kernel/pages.js';
import { rejection } from '../support/rejection.js';

describe('reading a list page by page', () => {
  let requests: PageRequest<number>[];

  /** A list of the numbers 1 to `length`, whose cursor is the number itself. */
  const listOf = (length: number) => async (request: PageRequest<number>) => {
    requests.push(request);
    const { after = 0, limit } = request;
    return Array.from({ length: Math.min(limit, length - after) }, (_, index) => after + index + 1);
  };

  async function pagesOf(length: number): Promise<readonly (readonly number[])[]> {
    const read: (readonly number[])[] = [];
    for await (const page of pages(2, listOf(length), (item) => item)) read.push(page);
    return read;
  }

  beforeEach(() => {
    requests = [];
  });

  it('asks for each page with the cursor of the last item before it', async () => {
    expect(await pagesOf(5)).to.deep.equal([[1, 2], [3, 4], [5]]);
    expect(requests).to.deep.equal([{ limit: 2 }, { limit: 2, after: 2 }, { limit: 2, after: 4 }]);
  });

  it('ends with an empty page where the last item fills a page', async () => {
    expect(await pagesOf(2)).to.deep.equal([[1, 2], []]);
  });

  it('returns one empty page of an empty list', async () => {
    expect(await pagesOf(0)).to.deep.equal([[]]);
  });

  it('fetches the next page only on request', async () => {
    for await (const page of pages(2, listOf(5), (item) => item)) if (page.includes(1)) break;
    expect(requests).to.deep.equal([{ limit: 2 }]);
  });

  it('throws the error of a fetch', async () => {
    const error = new Error('the store is away');
    const failing = pages(
      2,
      () => Promise.reject(error),
      (item) => item,
    );
    expect(await rejection(failing.next())).to.equal(error);
  });
});
