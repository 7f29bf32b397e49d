import type Database from 'better-sqlite3';
import { type HookHealth, healthy } from '../../queue/hook-health.js';
import type { OnRollback } from '../grouped-calls.js';
import type { HookChanges } from '../lease/hook-changes.js';
import type { Looks } from '../lease/looks.js';

/** So many hooks' health is remembered; of the others it is read again. */
const maxRemembered = 10_000;

/**
 * How hooks have been doing. Where there is something to say, it is stored; the successes of a healthy hook are counted in
 * memory only, so that they cost no write, and are stored with its first failure. A restart forgets them, and what has
 * started under a rate or as a probe: a breaker may then open a little earlier, a rate or a probe begin anew.
 */
export type HookHealths = {
  /** `stored`: what the hook's row says, where the caller has read it. */
  readonly of: (key: number, stored?: string | null) => HookHealth;
  /** Remembers it; within the transaction that counts it. */
  readonly remember: (key: number, health: HookHealth, onRollback: OnRollback) => void;
  /** Remembers it, and stores it where there is something to say, or was. */
  readonly keep: (key: number, health: HookHealth, onRollback: OnRollback) => void;
  readonly forget: (key: number) => void;
};

type Known = { readonly health: HookHealth; readonly stored: boolean };

const nothingKnown: Known = { health: healthy, stored: false };

export function openHookHealths(
  database: Database.Database,
  { changes, looks }: { readonly changes: HookChanges; readonly looks: Pick<Looks, 'forget'> },
): HookHealths {
  const read = database.prepare<[number], string | null>('SELECT health FROM listeners WHERE key = ?').pluck();
  const write = database.prepare('UPDATE listeners SET health = ? WHERE key = ?');
  const known = new Map<number, Known>();

  function knownOf(key: number, row?: string | null): Known {
    const found = known.get(key);
    if (found && !found.stored) return found;
    const stored = row === undefined ? read.get(key) : row;
    if (found && stored) return found; // else it has been forgotten, perhaps by another process
    const fresh = stored ? { health: JSON.parse(stored) as HookHealth, stored: true } : nothingKnown; // as it was written
    put(key, fresh);
    return fresh;
  }

  function put(key: number, one: Known): void {
    known.delete(key); // the latest stand at the end
    known.set(key, one);
    if (known.size > maxRemembered) for (const oldest of known.keys()) return void known.delete(oldest);
  }

  function change(key: number, one: Known, onRollback: OnRollback): void {
    onRollback(() => known.delete(key)); // it is read again
    put(key, one);
  }

  return {
    of: (key, row) => knownOf(key, row).health,
    remember: (key, health, onRollback) => change(key, { health, stored: knownOf(key).stored }, onRollback),
    keep(key, health, onRollback) {
      const stored = saysSomething(health);
      if (stored || knownOf(key).stored) {
        write.run(stored ? JSON.stringify(health) : null, key);
        looks.forget(key);
        changes.note();
      }
      change(key, { health, stored }, onRollback);
    },
    forget: (key) => void known.delete(key),
  };
}

const saysSomething = ({ recent, breaker, failing, pace, notBefore }: HookHealth): boolean =>
  breaker !== undefined ||
  failing !== undefined ||
  pace !== undefined ||
  notBefore !== undefined ||
  recent.some(([, , failed]) => failed > 0);
