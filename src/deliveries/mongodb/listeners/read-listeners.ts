import type { ListenerRow } from '../collections.js';
import type { Shared } from '../shared.js';

/** Reads the listeners that have a row, by ID, and remembers those to which nothing is known but that they get deliveries. */
export type ReadListeners = (ids: Iterable<string>) => Promise<ReadonlyMap<string, ListenerRow>>;

export function openReadListeners({ collections, calm }: Pick<Shared, 'collections' | 'calm'>): ReadListeners {
  return async (ids) => {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return new Map();
    const rows = await collections.listeners.find({ _id: { $in: wanted } }).toArray();
    calm.note(rows);
    return new Map(rows.map((row) => [row._id, row]));
  };
}
