/** Where requests to a hook go. */
export type HookAddress = {
  readonly origin: string;
  /** Without a port. */
  readonly host: string;
  /** With the query. */
  readonly path: string;
};

/** So many are remembered; then all are forgotten. */
const maxRemembered = 10_000;
const remembered = new Map<string, HookAddress>();

/** Takes a hook URL apart, once for as long as it is remembered: several look at it for each delivery. */
export function addressOf(hookUrl: string): HookAddress {
  const known = remembered.get(hookUrl);
  if (known) return known;
  const { origin, hostname, pathname, search } = new URL(hookUrl);
  const address = { origin, host: hostname, path: pathname + search };
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(hookUrl, address);
  return address;
}
