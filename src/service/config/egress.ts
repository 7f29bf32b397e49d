import { isIP } from 'node:net';
import { z } from 'zod';
import type { EgressProxy } from '../../kernel/egress/egress-proxy.js';
import { choice, partsOf, setting } from './schema.js';
import { cidrs } from './setting-values.js';

/** Not printed: it may have a password. */
function proxyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    throw new Error(
      'must be http://host:port or https://host:port, with user:password@ before the host if it needs them',
    );
  try {
    decodeURIComponent(`${url.username}${url.password}`);
  } catch {
    throw new Error('must have its user name and password percent-encoded');
  }
  return url.href;
}

const hostName = /^(\*\.)?[\w-]+(\.[\w-]+)*$/;

const exceptions = (text: string): readonly string[] =>
  partsOf(text).map((entry) => {
    if (isIP(entry) !== 0 || entry.includes('/')) return cidrs(entry)[0] ?? '';
    if (!hostName.test(entry))
      throw new Error(`must be host names, *.example.com or CIDR ranges, but holds '${entry}'`);
    return entry;
  });

/** The proxy of requests to listeners and providers; undefined: none. */
export const egress = z
  .object({
    url: setting('EGRESS_PROXY', proxyUrl),
    except: setting('EGRESS_PROXY_EXCEPT', exceptions),
    resolvesNames: setting('EGRESS_PROXY_RESOLVES_NAMES', choice('true', 'false')),
  })
  .transform(({ url, except, resolvesNames }, { addIssue }): EgressProxy | undefined => {
    if (url !== undefined) return { url, except: except ?? [], resolvesNames: resolvesNames === 'true' };
    for (const [key, value] of Object.entries({ except, resolvesNames }))
      if (value !== undefined) addIssue({ code: 'custom', path: [key], message: 'needs EGRESS_PROXY' });
    return undefined;
  });
