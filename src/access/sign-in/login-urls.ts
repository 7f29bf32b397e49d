/** Finds the login URL for the host that a request names; undefined where there is none. */
export type LoginUrls = (host: string) => string | undefined;

/**
 * Login URLs by host: exact with port, exact without, `*.example.com` (any depth below it, the longest pattern first), `*`.
 * Case does not matter.
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
