/** Finds the login URL for the host of a request; undefined if there is none. */
export type LoginUrls = (host: string) => string | undefined;

/**
 * Looks up login URLs by host. Precedence: exact host with port, exact host, `*.example.com` (subdomains at any depth, the
 * longest pattern first), `*`. Ignores case.
 */
export function loginUrls(urls: Readonly<Record<string, string>>): LoginUrls {
  const exact = new Map<string, string>();
  const below: { readonly suffix: string; readonly url: string }[] = [];
  for (const [pattern, url] of Object.entries(urls)) {
    const host = pattern.toLowerCase();
    if (host.startsWith('*.')) below.push({ suffix: host.slice(1), url });
    else exact.set(host, url);
  }
  below.sort((one, other) => other.suffix.length - one.suffix.length);

  return (requested) => {
    const host = requested.toLowerCase();
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '');
    const wildcard = () => below.find(({ suffix }) => host.endsWith(suffix) || name.endsWith(suffix))?.url;
    return exact.get(host) ?? exact.get(name) ?? wildcard() ?? exact.get('*');
  };
}
