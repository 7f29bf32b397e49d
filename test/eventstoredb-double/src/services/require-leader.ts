import type { Node } from '../node.js';
import { type CallFailure, notLeader, notReady } from './call-failure.js';

/** The answer of a node that is not the leader to a call that requires the leader; undefined on the leader. */
export function leaderFailure({ membership }: Node): CallFailure | undefined {
  const leader = membership.leader();
  if (leader === 'here') return undefined;
  return leader === 'none' ? notReady() : notLeader(leader);
}

/** Throws `leaderFailure`. */
export function requireLeader(node: Node): void {
  const failure = leaderFailure(node);
  if (failure) throw failure;
}
