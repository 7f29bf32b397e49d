import type { ListenerInTrouble } from '../listener-state.js';

/** The first of these listeners, each once: those of the first group come first. */
export function mergeTroubled(
  groups: readonly (readonly ListenerInTrouble[])[],
  limit: number,
): readonly ListenerInTrouble[] {
  const byId = new Map<string, ListenerInTrouble>();
  for (const listener of groups.flat()) if (!byId.has(listener.listenerId)) byId.set(listener.listenerId, listener);
  return [...byId.values()].slice(0, limit);
}
