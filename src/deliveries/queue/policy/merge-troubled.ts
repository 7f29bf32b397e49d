import type { HookInTrouble } from '../hook-state.js';

/** The first of these hooks, each once: those of the first group come first. */
export function mergeTroubled(groups: readonly (readonly HookInTrouble[])[], limit: number): readonly HookInTrouble[] {
  const byId = new Map<string, HookInTrouble>();
  for (const hook of groups.flat()) if (!byId.has(hook.listenerId)) byId.set(hook.listenerId, hook);
  return [...byId.values()].slice(0, limit);
}
