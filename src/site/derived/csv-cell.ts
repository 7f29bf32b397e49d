/** The first sign of a formula, if a spreadsheet begins a cell before it: at the start, and behind a `;` and a line end. */
const formula = /(?<=(?:^|[;\r\n])[\s"]*)[=+\-@＝＋－＠]/g;

/**
 * A value as a cell of RFC 4180, always quoted. An apostrophe stands before each formula, also of spreadsheets that read
 * `;` as the separator (OWASP, CSV injection).
 */
export function csvCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  const safe = typeof value === 'number' ? text : text.replace(formula, "'$&");
  return `"${safe.replaceAll('"', '""')}"`;
}
