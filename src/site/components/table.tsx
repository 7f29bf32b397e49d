import type { ComponentChildren } from 'preact';
import { usePage } from '../page-context.js';
import { partOf, type ShownFields, shownOf } from './shown.js';

/** The cells under each heading; without headings whose column is undefined. */
export type Columns<Row> = ShownFields<Row>;

export type TableProps<Row> = {
  /** Text for screen readers. */
  caption: string;
  columns: Columns<Row>;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Shown instead of a table without rows: see `Empty`. */
  empty?: ComponentChildren;
};

/** Live updates find a row by its ID: the focus stays on it. On phones each row is a card, with the column's head before the value. */
export function Table<Row>({ caption, columns, rows, keyOf, empty = null }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  const place = caption.toLowerCase().replaceAll(/\W+/g, '-');
  const shown = Object.entries(columns).flatMap(([head, column]) => {
    if (column === undefined) return [];
    const part = partOf(column);
    const {
      show,
      wide,
      headed,
      numeric = typeof show === 'string' && rows.some((row) => typeof row[show] === 'number'),
    } = part;
    return [{ head, part, style: numeric ? 'numeric' : wide ? 'wide' : headed ? 'headed' : undefined }];
  });
  return (
    <div class="table-box">
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {shown.map(({ head, style }) => (
              <th key={head} scope="col" class={style}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} id={`${place}:${keyOf(row).replaceAll(/\s/g, '_')}`}>
              {shown.map(({ head, part, style }) => (
                <td key={head} class={style} data-head={head}>
                  {shownOf(row, part) ?? <Missing />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Missing = () => <span class="muted missing">–</span>;

/** Cursors of earlier pages that the address carries. */
const maxEarlier = 20;

/** Links to the first, the previous and the next page of a list. `by`: the parameter that has the cursor. */
export function Pager({ next, by = 'after' }: { next: string | null; by?: string }) {
  const at = usePage();
  const current = at.query.text(by);
  if (current === undefined && next === null) return null;
  // A line each, and an empty one for the first page.
  const trail = `${by}Pages`;
  const earlier = current === undefined ? [] : (at.query.text(trail) ?? '').split('\n').slice(0, -1);
  const linesOf = (cursors: readonly string[]) => cursors.map((cursor) => `${cursor}\n`).join('');
  const here = (cursor: string | undefined, before: readonly string[]) =>
    at.here({ [by]: cursor, [trail]: linesOf(before.slice(-maxEarlier)) });
  return (
    <nav class="pager" aria-label="Pages">
      {current !== undefined && earlier.length !== 1 && (
        <a class="button" href={here(undefined, [])}>
          First page
        </a>
      )}
      {earlier.length > 0 && (
        <a class="button" href={here(earlier.at(-1), earlier.slice(0, -1))} rel="prev">
          Previous page
        </a>
      )}
      {next !== null && (
        <a class="button" href={here(next, [...earlier, current ?? ''])} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
