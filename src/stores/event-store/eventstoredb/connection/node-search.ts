import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelCredentialOptions, EventStoreDBClient, type NodePreference } from '@eventstore/db-client';
import type { ConnectionSettings, Host } from './connection-string.js';

/** Of a node, as `address:port`. */
export type Endpoint = string;

export const endpointOf = ({ address, port }: Host): Endpoint => `${address}:${port}`;

export type SearchOptions = {
  readonly settings: ConnectionSettings;
  readonly credentials: ChannelCredentialOptions;
  readonly nodePreference: NodePreference;
  /** How long one node may take to name the members of the cluster, in seconds: the client knows whole seconds only. */
  readonly gossipTimeoutS: number;
};

/** By default the members are asked for 2 s whether they have elected a leader. */
const [defaultAttempts, defaultIntervalMs] = [20, 100];

/** Asks one node of the cluster for the best of all. */
class Seed extends EventStoreDBClient {
  find(): Promise<Endpoint> {
    return this.resolveUri();
  }
}

/**
 * Finds a node of the cluster to connect to. All seeds are asked at once, so that one that is frozen delays nothing, and again
 * until one names another node than `avoided`, which the others may take for alive, or for the leader, for a while.
 *
 * The client's own search asks one seed after the other, 5 s each. It means to ask the failed one last, but its comparison
 * never moves anything.
 */
export function nodeSearch({ settings, credentials, nodePreference, gossipTimeoutS }: SearchOptions) {
  const { hosts, timing } = settings;
  const { maxDiscoverAttempts = defaultAttempts, discoveryInterval = defaultIntervalMs } = timing;
  const once = { nodePreference, gossipTimeout: gossipTimeoutS, maxDiscoverAttempts: 1, discoveryInterval: 0 };
  const seeds = hosts.map((discover) => new Seed({ discover, ...once }, credentials, settings.credentials));

  /**
   * Where no seed names another node, gives the avoided one if it is still named, or else a seed: what is wrong with it shows
   * when it is called.
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
