import type { ComponentChildren } from 'preact';
import { usePage } from '../page-context.js';

export type Column<Row> = {
  readonly head: string;
  /** Null and undefined are shown as a dash. */
  readonly cell: (row: Row) => ComponentChildren;
  /** Right-aligned. */
  readonly numeric?: boolean;
  /** Takes the remaining width, and is cut off rather than wrapped. */
  readonly wide?: boolean;
};

export type TableProps<Row> = {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown instead of a table without rows: see `Empty`. */
  readonly empty: ComponentChildren;
};

/** On phones each row is a card, with the column's head before the value. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  const classOf = ({ numeric, wide }: Column<Row>) => (numeric ? 'numeric' : wide ? 'wide' : undefined);
  return (
    <div class="table-box">
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} class={classOf(column)} data-head={column.head}>
                  {column.cell(row) ?? <Missing />}
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

/** Links to the first and the next page of a list. `by`: the parameter that has the cursor. */
export function Pager({ next, by = 'after' }: { readonly next: string | null; readonly by?: string }) {
  const at = usePage();
  const isFirst = at.query.text(by) === undefined;
  return isFirst && next === null ? null : (
    <nav class="pager" aria-label="Pages">
      {!isFirst && (
        <a class="button" href={at.here({ [by]: undefined })}>
          First page
        </a>
      )}
      {next !== null && (
        <a class="button" href={at.here({ [by]: next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
