import type { Conduct } from './conduct.js';
import type { Connections } from './connections.js';
import type { Membership } from './membership.js';
import type { ServerVersion } from './server-version.js';
import type { Subscriptions } from './services/subscriptions.js';
import type { EventStore } from './store/event-store.js';

/** State that the services share. A restart without the data puts another store in place. */
export interface Node {
  store: EventStore;
  conduct: Conduct;
  connections: Connections;
  membership: Membership;
  subscriptions: Subscriptions;
  version: ServerVersion;
  maxAppendBytes: number;
  /** Limit of one event; by default there is no such limit. */
  maxAppendEventBytes: number | undefined;
  /** Users in no group. Without any the node is insecure: it asks for no credentials. */
  users: readonly string[];
  /** Number of reads, subscriptions and appends, by kind, since they were asked for. */
  calls: Map<string, number>;
}

export function noteCall({ calls }: Node, kind: string): void {
  calls.set(kind, (calls.get(kind) ?? 0) + 1);
}
