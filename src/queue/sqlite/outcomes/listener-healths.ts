import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import { healthy, type ListenerHealth } from '../../policy/listener-health.js';
import type { FullyLeasedListeners, ListenerChanges } from '../lease/listener-schedule.js';

const maxCached = 10_000;

/**
 * The health of listeners. Successes of healthy ones are only counted in memory, which saves the write. A restart loses
 * these and the attempts under a rate or as a probe: a breaker may open slightly earlier, a rate or a probe starts
 * anew.
 */
export type ListenerHealths = {
  of: (key: number, stored?: string | null) => ListenerHealth;
  remember: (key: number, health: ListenerHealth, onRollback: OnRollback) => void;
  /** Stores the health unless the listener is and was healthy. */
  keep: (key: number, health: ListenerHealth, onRollback: OnRollback) => void;
  forget: (key: number) => void;
};

type Known = { health: ListenerHealth; stored: boolean };

const notStored: Known = { health: healthy, stored: false };

export function openListenerHealths(
  database: Database.Database,
  { changes, fullyLeased }: { changes: ListenerChanges; fullyLeased: Pick<FullyLeasedListeners, 'invalidate'> },
): ListenerHealths {
  const read = database.prepare<[number], string | null>('SELECT health FROM listeners WHERE key = ?').pluck();
  const write = database.prepare('UPDATE listeners SET health = ? WHERE key = ?');
  const known = new LRUCache<number, Known>({ max: maxCached });

  function knownOf(key: number, row?: string | null): Known {
    const found = known.get(key);
    if (found && !found.stored) return found;
    const stored = row === undefined ? read.get(key) : row;
    if (found && stored) return found;
    const fresh = stored ? { health: JSON.parse(stored) as ListenerHealth, stored: true } : notStored;
    known.set(key, fresh);
    return fresh;
  }

  function change(key: number, one: Known, onRollback: OnRollback): void {
    onRollback(() => known.delete(key));
    known.set(key, one);
  }

  return {
    of: (key, row) => knownOf(key, row).health,
    remember: (key, health, onRollback) => change(key, { health, stored: knownOf(key).stored }, onRollback),
    keep(key, health, onRollback) {
      const stored = isWorthStoring(health);
      if (stored || knownOf(key).stored) {
        write.run(stored ? JSON.stringify(health) : null, key);
        fullyLeased.invalidate(key);
        changes.note();
      }
      change(key, { health, stored }, onRollback);
    },
    forget: (key) => void known.delete(key),
  };
}

const isWorthStoring = ({ recent, breaker, failing, pace, notBefore }: ListenerHealth): boolean =>
  breaker !== undefined ||
  failing !== undefined ||
  pace !== undefined ||
  notBefore !== undefined ||
  recent.some(([, , failed]) => failed > 0);
