import { randomUUID } from 'node:crypto';
import type { Conduct } from './conduct.js';
import { type Connections, host } from './connections.js';

interface Address {
  host: string;
  port: number;
}

export interface MemberView {
  id: string;
  /** `unknown` while there is no leader. */
  state: 'leader' | 'follower' | 'unknown';
  isAlive: boolean;
  address: Address;
}

/** The cluster as one of its nodes sees it. */
export interface Membership {
  members(): readonly MemberView[];
  /** Place of the leader; `none` while one is elected. */
  leader(): Address | 'here' | 'none';
}

/** A cluster of one; of two when another node is said to be the leader. */
export function aloneUnlessSet(conduct: Conduct, connections: Connections): Membership {
  const [ownId, leaderId] = [randomUUID(), randomUUID()];
  const leader = () => conduct.told.leaderIsAt ?? 'here';
  return {
    leader,
    members() {
      const elsewhere = conduct.told.leaderIsAt;
      const address = { host, port: connections.port };
      const self = { id: ownId, state: elsewhere ? 'follower' : 'leader', isAlive: true, address } as const;
      return elsewhere ? [self, { id: leaderId, state: 'leader', isAlive: true, address: elsewhere }] : [self];
    },
  };
}
