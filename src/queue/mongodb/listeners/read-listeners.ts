import type { ListenerRow } from '../collections.js';
import type { Shared } from '../shared.js';

type ReadListeners = (ids: Iterable<string>) => Promise<ReadonlyMap<string, ListenerRow>>;

/**
 * Reads of the listeners that have a row, by ID; those to which nothing is known but that they get deliveries are remembered. `known`:
 * remembered ones are not read.
 */
export function openReadListeners({ collections, calm }: Pick<Shared, 'collections' | 'calm'>) {
  const read: ReadListeners = async (ids) => {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    const { changes } = calm;
    const rows = await collections.listeners.find({ _id: { $in: distinct } }).toArray();
    calm.note(rows, changes);
    return new Map(rows.map((row) => [row._id, row]));
  };

  const known: ReadListeners = async (ids) => {
    const distinct = [...new Set(ids)];
    const remembered = new Map(distinct.flatMap((id) => calm.get(id) ?? []).map((row) => [row._id, row] as const));
    return new Map([...remembered, ...(await read(distinct.filter((id) => !remembered.has(id))))]);
  };

  return { read, known };
}
