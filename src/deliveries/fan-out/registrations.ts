import { LRUCache } from 'lru-cache';
import type { Registration } from '../../../projections/listeners.js';

/** All periods of an organisation's registrations that held at this position, page by page. */
export type RegisteredAt = (orgId: string, position: bigint) => AsyncIterable<readonly Registration[]>;

/** Pages that are remembered, or those that come as they are read. */
export type RegistrationPages = Iterable<readonly Registration[]> | AsyncIterable<readonly Registration[]>;

/** Maximum number of cached registrations: a larger organisation is read page by page each time. */
const maxRemembered = 20_000;

export type Registrations = {
  readonly at: (orgId: string, position: bigint) => RegistrationPages;
  /** A listener event of this organisation has gone by. */
  readonly forget: (orgId: string) => void;
};

/**
 * Remembers what an organisation has registered until one of its listener events goes by. It is asked in the order of the
 * positions, and nothing changes between two listener events, so what held at an earlier position holds at the next.
 */
export function rememberRegistrations(registeredAt: RegisteredAt): Registrations {
  const remembered = new LRUCache<string, readonly Registration[]>({
    maxSize: maxRemembered,
    sizeCalculation: (registrations) => registrations.length + 1, // an organisation without registrations takes room too
  });

  async function* read(orgId: string, position: bigint): AsyncGenerator<readonly Registration[]> {
    let all: Registration[] | undefined = [];
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
