import { readdirSync, readFileSync } from 'node:fs';

type Descriptors = { limit: number; open: number };

/** Undefined where the system does not say: everywhere but on Linux. */
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
/** Operators and probes reach the service with these. */
const minConnections = 4;

/** Leaves descriptors for files and `concurrency` deliveries, at most half of the rest. */
export function defaultMaxConnections(
  { limit, open }: Descriptors,
  { concurrency, stores }: { concurrency: number; stores: keyof typeof opensLater },
): number {
  const rest = Math.max(0, limit - open - opensLater[stores]);
  // One connection for each post, and four times as many for slow ones: see `DELIVERY_CONCURRENCY`.
  const forDeliveries = Math.min(5 * concurrency, Math.floor(rest / 2));
  return Math.max(minConnections, rest - forDeliveries);
}
