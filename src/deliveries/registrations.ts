import type { Registration } from '../../projections/listeners.js';

/** All periods of an organisation's registrations that held at this position. */
export type RegisteredAt = (orgId: string, position: bigint) => Promise<readonly Registration[]>;

/** So many registrations are remembered at most: an organisation with more is looked up each time. */
const maxRemembered = 20_000;

export type Registrations = {
  readonly at: RegisteredAt;
  /** A listener event of this organisation has gone by. */
  readonly forget: (orgId: string) => void;
};

/**
 * Remembers what an organisation has registered until one of its listener events goes by. It is asked in the order of the
 * positions, and nothing changes between two listener events, so what held at an earlier position holds at the next.
 */
export function rememberRegistrations(registeredAt: RegisteredAt): Registrations {
  const remembered = new Map<string, readonly Registration[]>(); // in the order of their last use
  let count = 0;

  function forget(orgId: string): void {
    count -= weightOf(remembered.get(orgId));
    remembered.delete(orgId);
  }

  return {
    async at(orgId, position) {
      const known = remembered.get(orgId) ?? (await registeredAt(orgId, position));
      forget(orgId);
      if (weightOf(known) > maxRemembered) return known;
      remembered.set(orgId, known);
      count += weightOf(known);
      for (const oldest of remembered.keys()) {
        if (count <= maxRemembered) break;
        forget(oldest);
      }
      return known;
    },
    forget,
  };
}

/** An organisation without registrations takes room too. */
const weightOf = (known: readonly Registration[] | undefined): number => (known ? known.length + 1 : 0);
