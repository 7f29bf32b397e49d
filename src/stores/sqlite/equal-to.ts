/**
 * An equality with a parameter, in a statement with `ORDER BY`, `min` or `max` that runs repeatedly. As an expression: where a column
 * equals the parameter alone, SQLite plans such a statement again on each binding, which takes longer than reading a few rows.
 */
export const equalTo = (parameter = '?'): string => `= +${parameter}`;
