/** The query of a request's URL, byte for byte; empty if there is none. */
export const rawQuery = (url: string): string => {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
};

/**
 * Adds a query to a URL, byte for byte: after the query that the URL already has, before its fragment. An empty query
 * changes nothing.
 */
export function withQuery(url: string, query: string): string {
  if (query === '') return url;
  const hash = url.indexOf('#');
  const base = hash === -1 ? url : url.slice(0, hash);
  const fragment = hash === -1 ? '' : url.slice(hash);
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${query}${fragment}`;
}
