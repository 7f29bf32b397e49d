import { InvalidRequest } from '../kernel/domain-error.js';

/** About the length that browsers and proxies support; URLs of platforms are far shorter. */
export const maxHookUrlLength = 2048;

/**
 * Returns the stored form of a hook URL: the WHATWG `href` without the fragment. Permanent, because stream names are derived
 * from it. Throws `InvalidRequest` unless `text` is an absolute http or https URL without user name and password, of at most
 * 2,048 characters in this form. The message calls it `name`: the caller's name of the parameter.
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

/**
 * A hook URL for callers who did not send it: the full URL allows posting to the listener, so path and query are left out.
 * The listener's ID distinguishes listeners on one host.
 */
export const maskedHookUrl = (hookUrl: string): string => `${new URL(hookUrl).origin}/…`;
