import { LRUCache } from 'lru-cache';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { categoryOf } from '../../stores/event-store/event-store.js';
import { ListenerIndex } from './indexed-listeners.js';
import { type OwnEvent, organisationNamedBy } from './partitions.js';

/** All periods of an organisation's listeners that held at this position, page by page. */
export type RegisteredAt = (orgId: string, position: bigint) => AsyncIterable<readonly ListenerPeriod[]>;

export type ListenersView = {
  registeredAt: RegisteredAt;
  /** The view holds everything up to here; undefined while there is none. */
  position: () => Promise<bigint | undefined>;
  /** Resolves once the view holds everything up to this position; rejects when the signal aborts. */
  passed: (position: bigint, signal: AbortSignal) => Promise<void>;
};

type Page = readonly ListenerPeriod[];

/** Listeners page by page, or all in an index. */
export type ListenerPages = Iterable<Page | ListenerIndex> | AsyncIterable<Page | ListenerIndex>;

/** A larger organisation is read page by page each time, without an index. */
const maxRemembered = 20_000;

export type Listeners = {
  at: (orgId: string, position: bigint) => ListenerPages;
  /** Begins a read that the next `at` of the organisation completes: its listeners must not change in between. */
  readAhead: (orgId: string, position: bigint) => void;
  /** Number of reads that have begun and wait for their `at`. */
  begun: number;
  forget: (orgId: string) => void;
};

type Begun = { pages: AsyncIterator<Page>; first: Promise<IteratorResult<Page>> };

/**
 * Remembers an organisation's listeners until one of its listener events is read: between two of them nothing changes.
 */
export function rememberListeners(registeredAt: RegisteredAt): Listeners {
  const remembered = new LRUCache<string, ListenerIndex>({
    maxSize: maxRemembered,
    sizeCalculation: ({ size }) => size + 1, // an organisation without listeners takes memory too
  });
  const begun = new Map<string, Begun>();

  function begin(orgId: string, position: bigint): Begun {
    const pages = registeredAt(orgId, position)[Symbol.asyncIterator]();
    const first = pages.next();
    first.catch(() => undefined); // `at` throws it
    return { pages, first };
  }

  async function* read(orgId: string, position: bigint): AsyncGenerator<Page | ListenerIndex> {
    const { pages, first } = begun.get(orgId) ?? begin(orgId, position);
    begun.delete(orgId);
    const known: Page[] = [];
    let left = maxRemembered;
    let page = await first;
    for (; !page.done && left > 0; page = await pages.next()) {
      known.push(page.value);
      left -= page.value.length;
    }
    if (page.done) {
      const index = new ListenerIndex(known.flat());
      remembered.set(orgId, index);
      yield index;
      return;
    }
    while (known.length > 0) yield* known.splice(0, 1);
    for (; !page.done; page = await pages.next()) yield page.value;
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

/** Maximum number of organisations whose listeners are read at the same time. */
const maxReads = 32;

export type ListenersInOrder = ReturnType<typeof listenersInOrder>;

type Beginning = {
  /** The events that are handled begin after this position. */
  from: bigint;
  /** The view has passed this position. */
  viewAt: bigint | undefined;
};

/** The listeners for events that are handled in their order. */
export function listenersInOrder({ registeredAt, passed }: ListenersView, begun: Beginning, signal: AbortSignal) {
  const listeners = rememberListeners(registeredAt);
  /** Position of the latest listener event: the view has to have passed it before listeners are read. */
  let viewNeeds = begun.from;
  let viewHas = begun.viewAt ?? -1n;

  async function viewPassed(): Promise<void> {
    if (viewHas < viewNeeds) await passed(viewNeeds, signal);
    viewHas = viewNeeds;
  }

  return {
    /** Waits also for steps beside those in order. Remembers nothing: a later listener event may be read meanwhile. */
    waitForView: () => passed(viewNeeds, signal),
    changedAt(position: bigint) {
      viewNeeds = position;
    },
    forget: listeners.forget,
    async at(orgId: string, position: bigint): Promise<ListenerPages> {
      await viewPassed();
      return listeners.at(orgId, position);
    },
    /** Begins to read the listeners for the next flow events of a batch: nothing changes until the next listener event. */
    readAheadIn(events: readonly OwnEvent[], isWaiting: (orgId: string) => boolean) {
      let ahead = 0;
      return async (at: number): Promise<void> => {
        for (ahead = Math.max(ahead, at); listeners.begun < maxReads; ahead += 1) {
          const { recorded, partition } = events[ahead] ?? {};
          if (!recorded || !partition || categoryOf(recorded.stream) === 'listener') return;
          const orgId = organisationNamedBy(recorded);
          const isRead = categoryOf(recorded.stream) === 'flow' && recorded.position > partition.position;
          if (orgId === undefined || !isRead || isWaiting(orgId)) continue;
          await viewPassed();
          listeners.readAhead(orgId, recorded.position);
        }
      };
    },
  };
}
