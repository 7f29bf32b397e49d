const maxLength = 2_000;
/** Of no page of this service: a text that leads to another origin than this is not a path. */
const anyOrigin = 'http://console.invalid';

/**
 * The page of the console that a text of a URL names, as a path with its query; the overview if it names none, so that no link leads
 * through the sign-in to another site. `base`: the path of the console in its public URL.
 */
export function returnPath(base: string, text: string | undefined): string {
  if (text === undefined || text.length > maxLength || !URL.canParse(text, anyOrigin)) return base;
  const { origin, pathname, search } = new URL(text, anyOrigin);
  const isPage = origin === anyOrigin && `${pathname}/`.startsWith(`${base}/`);
  return isPage ? `${pathname}${search}` : base;
}
