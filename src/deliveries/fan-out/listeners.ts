import { LRUCache } from 'lru-cache';
import type { ListenerPeriod } from '../../../projections/listeners.js';

/** All periods of an organisation's listeners that held at this position, page by page. */
export type RegisteredAt = (orgId: string, position: bigint) => AsyncIterable<readonly ListenerPeriod[]>;

export type ListenersView = {
  registeredAt: RegisteredAt;
  /** Resolves once the view holds everything up to this position; rejects when the signal aborts. */
  passed: (position: bigint, signal: AbortSignal) => Promise<void>;
};

export type ListenerPages = Iterable<readonly ListenerPeriod[]> | AsyncIterable<readonly ListenerPeriod[]>;

/** A larger organisation is read page by page each time. */
const maxRemembered = 20_000;

export type Listeners = {
  at: (orgId: string, position: bigint) => ListenerPages;
  /** Begins a read that the next `at` of the organisation completes: its listeners must not change in between. */
  readAhead: (orgId: string, position: bigint) => void;
  /** Number of reads that have begun and wait for their `at`. */
  begun: number;
  forget: (orgId: string) => void;
};

type Page = readonly ListenerPeriod[];
type Begun = { pages: AsyncIterator<Page>; first: Promise<IteratorResult<Page>> };

/**
 * Remembers an organisation's listeners until one of its listener events is read: between two of them nothing changes.
 */
export function rememberListeners(registeredAt: RegisteredAt): Listeners {
  const remembered = new LRUCache<string, Page>({
    maxSize: maxRemembered,
    sizeCalculation: (listeners) => listeners.length + 1, // an organisation without listeners takes room too
  });
  const begun = new Map<string, Begun>();

  function begin(orgId: string, position: bigint): Begun {
    const pages = registeredAt(orgId, position)[Symbol.asyncIterator]();
    const first = pages.next();
    first.catch(() => undefined); // `at` throws it
    return { pages, first };
  }

  async function* read(orgId: string, position: bigint): AsyncGenerator<Page> {
    const { pages, first } = begun.get(orgId) ?? begin(orgId, position);
    begun.delete(orgId);
    let all: ListenerPeriod[] | undefined = [];
    for (let page = await first; !page.done; page = await pages.next()) {
      if (all && all.length + page.value.length < maxRemembered) all.push(...page.value);
      else all = undefined;
      yield page.value;
    }
    if (all) remembered.set(orgId, all);
  }

  return {
    at(orgId, position) {
      const known = remembered.get(orgId);
      return known ? [known] : read(orgId, position);
    },
    readAhead(orgId, position) {
      if (!remembered.has(orgId) && !begun.has(orgId)) begun.set(orgId, begin(orgId, position));
    },
    get begun() {
      return begun.size;
    },
    forget(orgId) {
      remembered.delete(orgId);
      begun.delete(orgId);
    },
  };
}
