/** Finds the value for the host of a request; undefined if there is none. */
export type ByHost<Value> = (host: string) => Value | undefined;

/**
 * Looks up values by host, such as login URLs. Precedence: exact host with port, exact host, `*.example.com` (subdomains at any
 * depth, the longest pattern first), `*`. Ignores case.
 */
export function byHost<Value>(values: Readonly<Record<string, Value>>): ByHost<Value> {
  const exact = new Map<string, Value>();
  const below: { readonly suffix: string; readonly value: Value }[] = [];
  for (const [pattern, value] of Object.entries(values)) {
    const host = pattern.toLowerCase();
    if (host.startsWith('*.')) below.push({ suffix: host.slice(1), value });
    else exact.set(host, value);
  }
  below.sort((one, other) => other.suffix.length - one.suffix.length);

  return (requested) => {
    const host = requested.toLowerCase();
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '');
    const wildcard = () => below.find(({ suffix }) => host.endsWith(suffix) || name.endsWith(suffix))?.value;
    return exact.get(host) ?? exact.get(name) ?? wildcard() ?? exact.get('*');
  };
}
