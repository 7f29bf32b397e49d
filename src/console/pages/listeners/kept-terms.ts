import { randomBytes } from 'node:crypto';

const keptMs = 30 * 60_000;
const maxKept = 1_000;

/** Null: callers of every organisation. */
type Owner = string | null;

const terms = new Map<string, { term: string; owner: Owner; until: number }>();

/**
 * Searched URLs of this process by random IDs, which cannot be guessed. An ID is in addresses, logs and browser histories, so that a
 * term is found only by callers of the organisation that searched for it.
 */
export const keptTerms = {
  keep(term: string, owner: Owner): string {
    const id = randomBytes(16).toString('base64url');
    terms.set(id, { term, owner, until: Date.now() + keptMs });
    const [oldest] = terms.keys();
    if (terms.size > maxKept && oldest !== undefined) terms.delete(oldest);
    return id;
  },
  find(id: string, owner: Owner): string | undefined {
    const kept = terms.get(id);
    return kept && kept.owner === owner && kept.until > Date.now() ? kept.term : undefined;
  },
};
