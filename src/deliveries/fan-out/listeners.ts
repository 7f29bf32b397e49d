import { LRUCache } from 'lru-cache';
import type { ListenerPeriod } from '../../../projections/listeners.js';

/** All periods of an organisation's listeners that held at this position, page by page. */
export type RegisteredAt = (orgId: string, position: bigint) => AsyncIterable<readonly ListenerPeriod[]>;

export type ListenersView = {
  readonly registeredAt: RegisteredAt;
  /** Resolves once the view holds everything up to this position; rejects when the signal aborts. */
  readonly passed: (position: bigint, signal: AbortSignal) => Promise<void>;
};

export type ListenerPages = Iterable<readonly ListenerPeriod[]> | AsyncIterable<readonly ListenerPeriod[]>;

/** A larger organisation is read page by page each time. */
const maxRemembered = 20_000;

export type Listeners = {
  readonly at: (orgId: string, position: bigint) => ListenerPages;
  readonly forget: (orgId: string) => void;
};

/**
 * Remembers an organisation's listeners until one of its listener events is read: between two of them nothing changes.
 */
export function rememberListeners(registeredAt: RegisteredAt): Listeners {
  const remembered = new LRUCache<string, readonly ListenerPeriod[]>({
    maxSize: maxRemembered,
    sizeCalculation: (listeners) => listeners.length + 1, // an organisation without listeners takes room too
  });

  async function* read(orgId: string, position: bigint): AsyncGenerator<readonly ListenerPeriod[]> {
    let all: ListenerPeriod[] | undefined = [];
    for await (const page of registeredAt(orgId, position)) {
      if (all && all.length + page.length < maxRemembered) all.push(...page);
      else all = undefined;
      yield page;
    }
    if (all) remembered.set(orgId, all);
  }

  return {
    at(orgId, position) {
      const known = remembered.get(orgId);
      return known ? [known] : read(orgId, position);
    },
    forget: (orgId) => void remembered.delete(orgId),
  };
}
