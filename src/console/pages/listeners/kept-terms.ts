import { randomBytes } from 'node:crypto';

const keptMs = 30 * 60_000;
const maxKept = 1_000;

const terms = new Map<string, { term: string; until: number }>();

/** Searched URLs of this process by random IDs, which cannot be guessed. */
export const keptTerms = {
  keep(term: string): string {
    const id = randomBytes(16).toString('base64url');
    terms.set(id, { term, until: Date.now() + keptMs });
    const [oldest] = terms.keys();
    if (terms.size > maxKept && oldest !== undefined) terms.delete(oldest);
    return id;
  },
  find(id: string): string | undefined {
    const kept = terms.get(id);
    return kept && kept.until > Date.now() ? kept.term : undefined;
  },
};
