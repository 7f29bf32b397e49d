import { readdirSync, readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from './config/config.js';

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

/** Fewer connections than a gateway with its own pool may need. */
const fewConnections = 64;

/** The setting, else the default; undefined: no limit is known. Warns of few descriptors. */
export function maxConnectionsOf({ http, cluster, deliveries }: Config, log: Logger): number | undefined {
  const known = descriptors();
  if (http.maxConnections !== undefined || !known) return http.maxConnections;
  const { concurrency } = deliveries.attempts;
  const max = defaultMaxConnections(known, { concurrency, stores: cluster ? 'servers' : 'embedded' });
  if (max < fewConnections) {
    log.warn({ ...known, maxConnections: max }, 'there are few file descriptors: raise their limit (ulimit -n)');
  }
  return max;
}
