import { FlowHooksError } from './errors.js';

/** Options of `FlowHooks`. */
export type FlowHooksOptions = {
  /** Address of the service, http or https; it may have a path. */
  readonly url: string | URL;
  /** An API key, an admin key or an access token. */
  readonly key: string;
  /** Time limit of an attempt, up to the end of its answer. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts after the first. Default: 4. */
  readonly retries?: number;
  /** Time limit of a request with all its attempts, and the waits between them. Default: 120,000. */
  readonly deadlineMs?: number;
  /** Sends the requests, for example through a proxy. Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
};

/** Maximum delay of timers. */
const maxTimerMs = 2 ** 31 - 1;

const invalid = (message: string): FlowHooksError => new FlowHooksError(message, { code: 'invalid_option' });

/** Throws `invalid_option`, without the value: it may contain a password or a key. */
export function checkedOptions(options: FlowHooksOptions) {
  const { url, key, timeoutMs = 30_000, retries = 4, deadlineMs = 120_000, fetch = globalThis.fetch } = options;
  // Refused here, because runtimes quote header values that are not valid in their errors.
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw invalid('key must be a text of printable ASCII characters without spaces');
  if (!Number.isInteger(retries) || retries < 0) throw invalid('retries must be a whole number from 0');
  return {
    baseUrl: baseUrlOf(url),
    key,
    timeoutMs: milliseconds('timeoutMs', timeoutMs),
    retries,
    deadlineMs: milliseconds('deadlineMs', deadlineMs),
    fetch,
  };
}

function milliseconds(name: string, value: number): number {
  if (!(value > 0)) throw invalid(`${name} must be a positive number`);
  return Math.min(value, maxTimerMs);
}

/** URL without a slash at the end. */
function baseUrlOf(url: string | URL): string {
  if (!URL.canParse(url)) throw invalid('url must be an absolute URL');
  const { protocol, origin, pathname, username, password, search, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalid('url must begin with https:// or http://');
  if (`${username}${password}${search}${hash}` !== '')
    throw invalid('url must not contain a user name, a password, a query or a fragment');
  return origin + pathname.replace(/\/+$/, '');
}
