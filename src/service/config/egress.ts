import { isIP } from 'node:net';
import type { EgressProxy } from '../../kernel/egress/egress-proxy.js';
import { cidrs } from './setting-values.js';
import type { SettingsReader } from './settings.js';

/** The proxy of requests to listeners and providers; undefined: none. */
export function readEgress(settings: SettingsReader): EgressProxy | undefined {
  const url = settings.read('EGRESS_PROXY', proxyUrl, undefined);
  const except = settings.read('EGRESS_PROXY_EXCEPT', exceptions, []);
  const resolvesNames = settings.choice('EGRESS_PROXY_RESOLVES_NAMES', ['true', 'false'], 'false') === 'true';
  if (url !== undefined) return { url, except, resolvesNames };
  for (const name of ['EGRESS_PROXY_EXCEPT', 'EGRESS_PROXY_RESOLVES_NAMES'])
    if (settings.text(name) !== undefined && settings.text('EGRESS_PROXY') === undefined)
      settings.reject(name, 'needs EGRESS_PROXY');
  return undefined;
}

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

function exceptions(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const entry = part.trim();
    if (isIP(entry) !== 0 || entry.includes('/')) return cidrs(entry)[0] ?? '';
    if (!hostName.test(entry))
      throw new Error(`must be host names, *.example.com or CIDR ranges, but holds '${entry}'`);
    return entry;
  });
}
