/** Prints values as a table, or with `--json` as one line of JSON each. */
export type Output = {
  json: boolean;
  write: (line: string) => void;
};

type Cell = string | number | boolean | null | undefined;
type Fields<R> = { [Name in keyof R]: R[Name] extends Cell ? Name : never }[keyof R];
/** The cells under each heading: a field of the row, or a function of it. */
export type Columns<R> = Readonly<Record<string, Fields<R> | ((row: R) => Cell)>>;

/** Prints one row for each value: the columns as a table, or all fields as JSON. */
export function printRows<R extends object>(
  output: Output,
  rows: readonly R[],
  columns: Columns<R>,
  whenEmpty: string,
): void {
  if (output.json) {
    for (const row of rows) output.write(JSON.stringify(row));
  } else if (rows.length === 0) {
    output.write(visible(whenEmpty));
  } else {
    for (const line of table(rows, columns)) output.write(line);
  }
}

/** Prints one value: its JSON, or a sentence about it. */
export function printResult(output: Output, value: object, sentence: string): void {
  output.write(output.json ? JSON.stringify(value) : visible(sentence));
}

/** Prints the fields of one value, one on each line, or its JSON. */
export function printFields(output: Output, value: object): void {
  if (output.json) {
    output.write(JSON.stringify(value));
    return;
  }
  const rows = Object.entries(value).map(([field, of]) => ({
    field,
    value: typeof of === 'object' && of !== null ? JSON.stringify(of) : of,
  }));
  printRows(output, rows, { field: 'field', value: ({ value }) => value as string }, '');
}

/** Prints a warning about a successful operation on standard error, which programs that read the result do not see. */
export function printWarning(sentence: string, terminal: { write: (text: string) => unknown } = process.stderr): void {
  terminal.write(`flow-hooks: ${visible(sentence)}\n`);
}

/** `1 listener`, `2 listeners`; `many`: an irregular plural. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/**
 * The text with control characters escaped as in JSON: one line, without escape sequences for a terminal. Joiners stay,
 * which scripts and emoji need.
 */
export const visible = (text: string): string =>
  text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u{${character.codePointAt(0)?.toString(16)}}` : escaped;
  });

/** The first characters (code points) of a text. */
export const beginningOf = (text: string, characters: number): string => [...text].slice(0, characters).join('');

function table<R>(rows: readonly R[], columns: Columns<R>): string[] {
  const headings = Object.keys(columns);
  const cells = rows.map((row) =>
    Object.values(columns).map((cell) => visible(String((typeof cell === 'function' ? cell(row) : row[cell]) ?? ''))),
  );
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const align = (line: readonly string[]) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return [headings.map((heading) => heading.toUpperCase()), ...cells].map(align);
}
