import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Larger ones are slow everywhere, and some platforms cut them. */
const largeBytes = 20_000;

const maxRemembered = 1_000;

export type LargeEvents = (
  event: { readonly orgId: string; readonly type: string; readonly bytes: number },
  log: Logger,
) => void;

/** What there is to say of flow events of so many bytes; undefined where they are not large. */
export const warningOfSize = (bytes: number): string | undefined =>
  bytes > largeBytes ? 'flow events of this type are large: send what hooks need, and a link to the rest' : undefined;

/** Warns of large flow events: once for each type of an organisation, as far as this process remembers. */
export function warnOfLargeEvents(): LargeEvents {
  const warned = new LRUCache<string, true>({ max: maxRemembered });
  return ({ orgId, type, bytes }, log) => {
    const warning = warningOfSize(bytes);
    if (warning === undefined) return;
    const name = JSON.stringify([orgId, type]);
    if (warned.has(name)) return;
    warned.set(name, true);
    log.warn({ orgId, type, bytes }, warning);
  };
}
