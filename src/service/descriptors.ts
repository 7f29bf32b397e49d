import { readdirSync, readFileSync } from 'node:fs';

/** File descriptors of this process: the maximum number, and how many are open. */
type Descriptors = { readonly limit: number; readonly open: number };

/** Undefined if the system does not say, as all but Linux. */
export function descriptors(): Descriptors | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : { limit: Number(limit), open: readdirSync('/proc/self/fd').length };
  } catch {
    return undefined;
  }
}

/** Maximum number of descriptors that open later: files of rebuilds and of readers; with servers, connections to them too. */
const opensLater = { embedded: 16, servers: 256 };
/** Minimum number of incoming connections, with which operators and probes reach the service. */
const minConnections = 4;

/**
 * Maximum number of incoming connections, from the descriptors at the start of serving: those that files and `concurrency`
 * deliveries do not need, at least half of the rest.
 */
export function defaultMaxConnections(
  { limit, open }: Descriptors,
  { concurrency, stores }: { readonly concurrency: number; readonly stores: keyof typeof opensLater },
): number {
  const rest = Math.max(0, limit - open - opensLater[stores]);
  // One connection for each post, and four times as many for slow ones: see `DELIVERY_CONCURRENCY`.
  const forDeliveries = Math.min(5 * concurrency, Math.floor(rest / 2));
  return Math.max(minConnections, rest - forDeliveries);
}
