import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelCredentialOptions, EventStoreDBClient, type NodePreference } from '@eventstore/db-client';
import type { ConnectionSettings, Host } from './connection-string.js';

/** `address:port`. */
export type Endpoint = string;

export const endpointOf = ({ address, port }: Host): Endpoint => `${address}:${port}`;

export type SearchOptions = {
  settings: ConnectionSettings;
  credentials: ChannelCredentialOptions;
  nodePreference: NodePreference;
  /** Time for one node to list the members, in whole seconds, as the client takes it. */
  gossipTimeoutS: number;
};

/** The client's defaults: polls for an elected leader for 2 s. */
const [defaultAttempts, defaultIntervalMs] = [20, 100];

class Seed extends EventStoreDBClient {
  find(): Promise<Endpoint> {
    return this.resolveUri();
  }
}

export type NodeSearch = {
  /** Returns another node; without one, the avoided one if still named, else a seed: the call to it fails with the cause. */
  find: (avoided: Endpoint | undefined) => Promise<Endpoint>;
  /** Some seed names another node than this one within the time. */
  isReplaced: (current: Endpoint, withinMs: number) => Promise<boolean>;
};

/**
 * Asks all seeds at once until one names a node other than `avoided`, which others may report as alive for a while. The
 * client's own search asks one after the other, 5 s each, and its sorting of the failed one to the end does nothing.
 */
export function nodeSearch({ settings, credentials, nodePreference, gossipTimeoutS }: SearchOptions): NodeSearch {
  const { hosts, timing } = settings;
  const { maxDiscoverAttempts = defaultAttempts, discoveryInterval = defaultIntervalMs } = timing;
  const once = { nodePreference, gossipTimeout: gossipTimeoutS, maxDiscoverAttempts: 1, discoveryInterval: 0 };
  const seeds = hosts.map((discover) => new Seed({ discover, ...once }, credentials, settings.credentials));

  async function findOther(avoided: Endpoint | undefined, withinMs: number) {
    const endAt = performance.now() + withinMs;
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

    const found = await Promise.any(seeds.map(ask)).catch(() => undefined);
    isOver = true;
    return { found, isNamed };
  }

  return {
    async find(avoided) {
      const { found, isNamed } = await findOther(avoided, maxDiscoverAttempts * discoveryInterval);
      if (found !== undefined) return found;
      if (isNamed && avoided !== undefined) return avoided;
      const others = hosts.map(endpointOf).filter((host) => host !== avoided);
      return others[Math.floor(Math.random() * others.length)] ?? endpointOf(hosts[0]);
    },
    async isReplaced(current, withinMs) {
      const other = findOther(current, withinMs).then(({ found }) => found !== undefined);
      return Promise.race([other, pause(withinMs, false)]); // a frozen seed answers nothing
    },
  };
}
