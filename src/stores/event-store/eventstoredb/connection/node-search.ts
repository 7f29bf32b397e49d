import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelCredentialOptions, EventStoreDBClient, type NodePreference } from '@eventstore/db-client';
import type { ConnectionSettings, Host } from './connection-string.js';

/** Address of a node, as `address:port`. */
export type Endpoint = string;

export const endpointOf = ({ address, port }: Host): Endpoint => `${address}:${port}`;

export type SearchOptions = {
  readonly settings: ConnectionSettings;
  readonly credentials: ChannelCredentialOptions;
  readonly nodePreference: NodePreference;
  /** Time for one node to list the members of the cluster, in seconds: the client takes whole seconds only. */
  readonly gossipTimeoutS: number;
};

/** By default the client polls the members for 2 s for an elected leader. */
const [defaultAttempts, defaultIntervalMs] = [20, 100];

/** Asks one node of the cluster for the best node. */
class Seed extends EventStoreDBClient {
  find(): Promise<Endpoint> {
    return this.resolveUri();
  }
}

/**
 * Finds a node of the cluster to connect to. Asks all seeds at once, so that a frozen one delays nothing, and again
 * until one names a node other than `avoided`: the others may report that one as alive, or as leader, for a while.
 * The client's own search asks one seed after the other, 5 s each. It is meant to ask the failed one last, but its
 * comparison never moves anything.
 */
export function nodeSearch({ settings, credentials, nodePreference, gossipTimeoutS }: SearchOptions) {
  const { hosts, timing } = settings;
  const { maxDiscoverAttempts = defaultAttempts, discoveryInterval = defaultIntervalMs } = timing;
  const once = { nodePreference, gossipTimeout: gossipTimeoutS, maxDiscoverAttempts: 1, discoveryInterval: 0 };
  const seeds = hosts.map((discover) => new Seed({ discover, ...once }, credentials, settings.credentials));

  /**
   * Where no seed names another node, returns the avoided one if it is still named, else a seed: the call to it then
   * fails with the cause.
   */
  return async (avoided: Endpoint | undefined): Promise<Endpoint> => {
    const endAt = performance.now() + maxDiscoverAttempts * discoveryInterval;
    let isOver = false;
    let isNamed = false;

    async function ask(seed: Seed): Promise<Endpoint> {
      while (!isOver && performance.now() < endAt) {
        const found = await seed.find().catch(() => undefined); // the other seeds are asked too, and this one again
        if (found !== undefined && found !== avoided) return found;
        isNamed ||= found !== undefined;
        await pause(discoveryInterval);
      }
      throw new Error('no other node was named');
    }

    try {
      return await Promise.any(seeds.map(ask));
    } catch {
      if (isNamed && avoided !== undefined) return avoided;
      const others = hosts.map(endpointOf).filter((host) => host !== avoided);
      return others[Math.floor(Math.random() * others.length)] ?? endpointOf(hosts[0]);
    } finally {
      isOver = true;
    }
  };
}
