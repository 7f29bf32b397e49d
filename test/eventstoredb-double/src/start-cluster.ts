import { randomUUID } from 'node:crypto';
import { host } from './connections.js';
import type { Membership, MemberView } from './membership.js';
import { type EventStoreDouble, startEventStoreDouble } from './start-double.js';
import { EventStore } from './store/event-store.js';
import { startTcpRelay, type TcpRelay } from './tcp-relay.js';

/** One node of the cluster. Clients reach it through a relay, so that it can be frozen. */
export interface Member {
  id: string;
  port: number;
  node: EventStoreDouble;
}

/** Nodes of EventStoreDB in this process, with one log, as far as their clients can see. */
export interface EventStoreCluster {
  /** The connection string, with all nodes as seeds. */
  url: string;
  members: readonly Member[];
  /** Undefined while one is elected. */
  leader: Member | undefined;
  followers: readonly Member[];
  /** True if the others have found out that it is not there. */
  isTakenForDead(member: Member): boolean;
  /** Works as SIGSTOP: its connections stay open, it takes new ones, and it answers nothing. The others find out. */
  freeze(member: Member): void;
  /** Works as SIGKILL: its connections are cut, and it takes no others. The others find out. */
  kill(member: Member): Promise<void>;
  /** Is there again, with what was sent to it while it was frozen; it is a follower if another was elected. */
  thaw(member: Member): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  size?: number;
  /** Time until the others take a frozen node for dead. */
  detectMs?: number;
  /** Time from then on until they have another leader. */
  electMs?: number;
}

/** Gossip and elections: who is the leader, and who is taken for dead. */
export async function startEventStoreCluster({
  size = 3,
  detectMs = 2_000,
  electMs = 1_500,
}: ClusterOptions = {}): Promise<EventStoreCluster> {
  const store = new EventStore();
  const dead = new Set<Member>();
  const relays = new Map<Member, TcpRelay>();
  const timers = new Map<Member, NodeJS.Timeout>();
  const members: Member[] = [];
  let leader: Member | undefined;

  const view = (member: Member): MemberView => {
    const state = leader === undefined ? 'unknown' : member === leader ? 'leader' : 'follower';
    return { id: member.id, state, isAlive: !dead.has(member), address: { host, port: member.port } };
  };

  const membershipOf = (id: string): Membership => ({
    members: () => members.map(view),
    leader() {
      if (leader === undefined) return 'none';
      return leader.id === id ? 'here' : { host, port: leader.port };
    },
  });

  async function startMember(): Promise<Member> {
    const id = randomUUID();
    const node = await startEventStoreDouble({ cluster: { store, membership: membershipOf(id) } });
    const relay = await startTcpRelay(node.url);
    const member = { id, node, port: Number(new URL(relay.url).port) };
    relays.set(member, relay);
    return member;
  }

  for (let count = 0; count < size; count += 1) members.push(await startMember());
  leader = members[0];

  function takeForDead(member: Member): void {
    dead.add(member);
    if (member !== leader) return;
    leader = undefined;
    timers.set(
      member,
      setTimeout(() => {
        leader = members.find((each) => !dead.has(each));
      }, electMs),
    );
  }

  const missed = (member: Member) => void timers.set(member, setTimeout(takeForDead, detectMs, member));

  return {
    url: `esdb://${members.map(({ port }) => `${host}:${port}`).join(',')}?tls=false`,
    members,
    get leader() {
      return leader;
    },
    get followers() {
      return members.filter((member) => member !== leader);
    },
    isTakenForDead: (member) => dead.has(member),
    freeze(member) {
      relays.get(member)?.silence();
      missed(member);
    },
    async kill(member) {
      missed(member);
      await relays.get(member)?.refuse();
    },
    async thaw(member) {
      // An election that has begun goes on without it.
      if (!dead.delete(member)) clearTimeout(timers.get(member));
      await relays.get(member)?.restore();
    },
    async stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      for (const relay of relays.values()) await relay.close();
      for (const { node } of members) await node.stop();
    },
  };
}
