import { InvalidRequest } from '../../kernel/domain-error.js';

/** What platforms send is far shorter; what browsers and proxies carry safely is about this. */
export const maxHookUrlLength = 2048;

/**
 * The one form of a hook URL that we keep: the WHATWG `href` without the fragment, nothing else changed. Names of streams
 * are made of it, so it is permanent. Throws `InvalidRequest` unless it is an absolute http or https URL without user
 * name and password, of at most 2,048 characters in that form. The message says `name`, as whoever sent it knows it.
 */
export function normalisedHookUrl(text: string, name = 'hookUrl'): string {
  if (!URL.canParse(text)) throw new InvalidRequest(`${name} must be an absolute URL`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new InvalidRequest(`${name} must be an http or https URL`);
  }
  if (url.username || url.password) throw new InvalidRequest(`${name} must not hold a user name or password`);
  url.hash = '';
  if (url.href.length > maxHookUrlLength) {
    throw new InvalidRequest(`${name} must be at most ${maxHookUrlLength} characters long`);
  }
  return url.href;
}
