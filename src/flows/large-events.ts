import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Larger events are slow, and some platforms truncate them. */
const largeEventBytes = 20_000;

/** Maximum number of types that are remembered, to bound memory; when it is reached, the least recently used is forgotten. */
const maxWarnedTypes = 1_000;

export type LargeEvents = (
  event: { readonly orgId: string; readonly type: string; readonly bytes: number },
  log: Logger,
) => void;

/** The warning for a flow event of this size; undefined if it is not large. */
export const sizeWarning = (bytes: number): string | undefined =>
  bytes > largeEventBytes
    ? 'flow events of this type are large: send what listeners need, and a link to the rest'
    : undefined;

/** Logs a warning for large flow events, once for each organisation and type in this process. */
export function warnOfLargeEvents(): LargeEvents {
  const warned = new LRUCache<string, true>({ max: maxWarnedTypes });
  return ({ orgId, type, bytes }, log) => {
    const warning = sizeWarning(bytes);
    if (warning === undefined) return;
    const name = JSON.stringify([orgId, type]);
    if (warned.has(name)) return;
    warned.set(name, true);
    log.warn({ orgId, type, bytes }, warning);
  };
}
