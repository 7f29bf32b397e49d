import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { exportPage } from '../../src/site/derived/export.js';
import type { PageRequest } from '../../src/site/page-request.js';
import type { Act, Download, Site } from '../../src/site/page-view.js';
import { rejection } from '../support/rejection.js';

type Row = Readonly<Record<string, unknown>>;
type RowsPage = { items: readonly Row[]; next: string | null };

const item = z.strictObject({ id: z.string(), text: z.string(), count: z.int(), last: z.unknown(), list: z.unknown() });
const route = { answer: { schema: z.strictObject({ items: z.array(item), next: z.string().nullable() }) } };

/** A request for an export; nothing else of it is read. */
const requestOf = (format: string, orgId: string) =>
  ({ caller: { orgId, actor: 'portal:ada' }, query: { text: () => format } }) as unknown as PageRequest;

/** `read`: the page after a place. */
function exportOf(read: (after: string | undefined) => Promise<RowsPage>) {
  let act: Act | undefined;
  const download = (_: string, run: Act) => {
    act = run;
  };
  const site = { download } as unknown as Site; // nothing else is called
  exportPage(site, '/things', { route, read: (_, after) => read(after) });
  return async (format: string, orgId = 'acme') => {
    if (!act) throw new Error('no download was declared');
    return ((await act(requestOf(format, orgId))) as Download).download;
  };
}

const one = { id: 'one', text: 'a "quoted", text', count: -1 };
const two = { id: 'two', last: null, list: [1, -2] };
const twoPages = async (after?: string): Promise<RowsPage> =>
  after === undefined ? { items: [one], next: '1' } : { items: [two], next: null };

describe('the export of a list', () => {
  it('has the fields of the list, all quoted as RFC 4180 says', async () => {
    const { fileName, content } = await exportOf(twoPages)('csv');
    expect(fileName).to.equal('things.csv');
    expect(await text(content)).to.equal(
      '"id","text","count","last","list"\r\n"one","a ""quoted"", text","-1","",""\r\n"two","","","","[1,-2]"\r\n',
    );
  });

  it('is an array in JSON, also of an empty list', async () => {
    expect(JSON.parse(await text((await exportOf(twoPages)('json')).content))).to.deep.equal([one, two]);
    const empty = exportOf(async () => ({ items: [], next: null }));
    expect(JSON.parse(await text((await empty('json')).content))).to.deep.equal([]);
  });

  it('reads a page when the one before has been sent, and 10,000 rows in all', async () => {
    let read = 0;
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(100) }));
    const start = exportOf(async () => {
      read += 1;
      return { items: rows, next: `${read}` };
    });
    const { content } = await start('csv');
    expect(read).to.equal(1);
    expect((await text(content)).split('\r\n')).to.have.length(10_000 + 2);
    expect(read).to.equal(10);
  });

  it('is one at a time for an organisation, of all lists, until its file has been sent or its caller has gone', async () => {
    const things = exportOf(twoPages);
    const others = exportOf(twoPages);
    const first = await things('csv');
    expect(await rejection(others('json'))).to.include({ code: 'too_many_requests' });
    await text((await others('json', 'globex')).content);
    await text(first.content);
    const begun = (start: ReturnType<typeof exportOf>) => {
      const tried = (): Promise<unknown> => start('csv').catch(() => new Promise(setImmediate).then(tried));
      return tried() as Promise<Download['download']>;
    };
    const second = await begun(others);
    second.content.destroy();
    await text((await begun(things)).content);
  });

  it('rejects with the error of its first page, and leaves the next export free', async () => {
    const failing = exportOf(() => Promise.reject(new Error('the store is down')));
    expect(await rejection(failing('csv', 'down'))).to.include({ message: 'the store is down' });
    await text((await exportOf(twoPages)('csv', 'down')).content);
  });
});
