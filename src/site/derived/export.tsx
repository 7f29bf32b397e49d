import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { organisationShare } from '../../http/limits/organisation-share.js';
import { usePage } from '../page-context.js';
import { organisationOf, type PageRequest } from '../page-request.js';
import type { Download, Site } from '../page-view.js';
import { csvCell } from './csv-cell.js';

type Row = Readonly<Record<string, unknown>>;
export type RowsPage = { items: readonly Row[]; next: string | null };

type Exported = {
  /** The items of its answer are the rows. */
  route: { answer: { schema: z.ZodObject<{ items: z.ZodArray<z.ZodObject> }> } };
  /** A page of the list. */
  read: (at: PageRequest, after: string | undefined) => Promise<RowsPage>;
};

/** Limit of one file. */
const maxRows = 10_000;

/** Share of all lists, on all sites. */
const oneAtATime = organisationShare(
  1,
  'another export of this organisation is under way; try again once it has ended',
);

/** `{path}/export?format=csv` or `json`: the list of a page with its filter, sent while it is read. */
export function exportPage(site: Site, path: string, { route, read }: Exported): void {
  const columns = Object.keys(route.answer.schema.shape.items.element.shape);
  site.download(`${path}/export`, (at) => {
    const format = at.query.text('format') === 'csv' ? csvFile(columns) : jsonFile;
    return whileRead(at, async () => {
      const first = await read(at, undefined);
      const text = textOf(
        rowsOf(first, (after) => read(at, after)),
        format,
      );
      return { fileName: `${path.slice(1)}.${format.name}`, content: Readable.from(text) };
    });
  });
}

/** Resolves once the download has begun; another one of the organisation begins when it has ended. */
function whileRead(at: PageRequest, begin: () => Promise<Download['download']>): Promise<Download> {
  const owner = organisationOf(at) ?? at.caller.actor;
  return new Promise((resolve, reject) => {
    oneAtATime(owner, async () => {
      const download = await begin();
      const closed = once(download.content, 'close');
      resolve({ download });
      await closed;
    }).catch(reject);
  });
}

async function* rowsOf(
  first: RowsPage,
  read: (after: string) => Promise<RowsPage>,
): AsyncGenerator<readonly Row[], void> {
  let left = maxRows;
  for (let page = first; ; page = await read(page.next)) {
    yield page.items.slice(0, left);
    left -= page.items.length;
    if (page.next === null || left <= 0) return;
  }
}

type FileFormat = {
  name: string;
  begin: string;
  rows: (rows: readonly Row[], isFirst: boolean) => string;
  end: string;
};

async function* textOf(pages: AsyncIterable<readonly Row[]>, format: FileFormat): AsyncGenerator<string, void> {
  yield format.begin;
  let isFirst = true;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield format.rows(rows, isFirst);
    isFirst = false;
  }
  yield format.end;
}

const csvFile = (columns: readonly string[]): FileFormat => ({
  name: 'csv',
  begin: csvOf([columns]),
  rows: (rows) => csvOf(rows.map((row) => columns.map((name) => row[name]))),
  end: '',
});

const jsonFile: FileFormat = {
  name: 'json',
  begin: '[',
  rows: (rows, isFirst) => `${isFirst ? '' : ','}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}`,
  end: '\n]\n',
};

const csvOf = (lines: readonly (readonly unknown[])[]): string =>
  lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('');

/** Links to the files of the list on this page. */
export function Export() {
  const at = usePage();
  const { after: _, ...query } = Object.fromEntries(new URLSearchParams(at.search));
  return (
    <p class="export muted small">
      Export:{' '}
      {(['csv', 'json'] as const).map((format) => (
        <a key={format} href={at.url(`${at.path}/export`, { ...query, format })} download>
          {format.toUpperCase()}
        </a>
      ))}
    </p>
  );
}
