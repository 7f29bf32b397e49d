import { Readable } from 'node:stream';
import { usePage } from '../page-context.js';
import type { PageRequest } from '../page-request.js';
import type { Site } from '../page-view.js';
import { csvCell } from './csv-cell.js';

type Row = Readonly<Record<string, unknown>>;
type RowsPage = { items: readonly Row[]; next: string | null };

/** Of one file. */
const maxRows = 10_000;

/** `{path}/export?format=csv` or `json`: the list of a page with its filter. `read`: a page of it. */
export function exportPage(
  site: Site,
  path: string,
  read: (at: PageRequest, after: string | undefined) => Promise<RowsPage>,
): void {
  site.download(`${path}/export`, async (at) => {
    const rows: Row[] = [];
    let after: string | undefined;
    do {
      const { items, next } = await read(at, after);
      rows.push(...items);
      after = next ?? undefined;
    } while (after !== undefined && rows.length < maxRows);
    const format = at.query.text('format') === 'csv' ? 'csv' : 'json';
    const content = Buffer.from(format === 'csv' ? csvOf(rows) : `${JSON.stringify(rows, null, 2)}\n`);
    const fileName = `${path.slice(1)}.${format}`;
    return { download: { fileName, bytes: content.length, content: Readable.from([content]) } };
  });
}

export function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((line) => `${line.map(csvCell).join(',')}\r\n`)
    .join('');
}

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
