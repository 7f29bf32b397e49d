/**
 * An expression: where a parameter alone is the limit, SQLite plans the statement again on each binding, at five times
 * the cost of reading a few rows.
 */
export const limitBy = (parameter = '?'): string => `LIMIT ${parameter} + 0`;
