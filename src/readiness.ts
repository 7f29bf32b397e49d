import type { Deliveries } from './deliveries/start-deliveries.js';
import type { PartStatus } from './http/health.js';
import type { Follower } from './read-model/follow.js';

export type Parts = { readonly followers: readonly Follower[]; readonly deliveries: Deliveries };

/** Whether each part of the service can do its work now; remembers since when one cannot. */
export function readiness({ followers, deliveries }: Parts): () => readonly PartStatus[] {
  const notReadySince = new Map<string, string>();

  function part(name: string, reason: string | undefined): PartStatus {
    if (reason === undefined) {
      notReadySince.delete(name);
      return { part: name, ready: true };
    }
    const since = notReadySince.get(name) ?? new Date().toISOString();
    notReadySince.set(name, since);
    return { part: name, ready: false, since, reason };
  }

  return () => {
    const views = followers.map((follower) => {
      const { name, build, error } = follower.status();
      return part(`view ${name}`, error?.message ?? (build === undefined ? 'it is being built' : undefined));
    });
    const { fanOut, worker } = deliveries.status();
    return [...views, part('fan-out', messageOf(fanOut.error)), part('deliveries', messageOf(worker.error))];
  };
}

const messageOf = (error: unknown): string | undefined =>
  error === undefined ? undefined : error instanceof Error ? error.message : String(error);
