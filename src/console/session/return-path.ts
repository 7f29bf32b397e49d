const maxLength = 2_000;
/** Origin of no page of this service: a text that leads to another origin than this is not a path. */
const anyOrigin = 'http://console.invalid';

/**
 * The page of this console that a URL text names, with its query; else the overview, so that no link leads through the
 * sign-in to another site. `base`: the console's public path.
 */
export function returnPath(base: string, text: string | undefined): string {
  if (text === undefined || text.length > maxLength || !URL.canParse(text, anyOrigin)) return base;
  const { origin, pathname, search } = new URL(text, anyOrigin);
  const isPage = origin === anyOrigin && `${pathname}/`.startsWith(`${base}/`);
  return isPage ? `${pathname}${search}` : base;
}
