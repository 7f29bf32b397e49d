import { setTimeout as pause } from 'node:timers/promises';
import { password } from './access-control.js';
import { writtenCertificate } from './certificate.js';
import { Conduct } from './conduct.js';
import { Connections, host } from './connections.js';
import { aloneUnlessSet, type Membership } from './membership.js';
import type { Drop, Misbehaviour } from './misbehaviour.js';
import type { Node } from './node.js';
import { serverVersions, type VersionName } from './server-version.js';
import { callEnded, dropped } from './services/call-failure.js';
import { grpcServer } from './services/grpc-server.js';
import { Subscriptions } from './services/subscriptions.js';
import { EventStore } from './store/event-store.js';
import { fileJournal, withoutJournal } from './store/journal.js';
import type { RecordedEvent } from './store/recorded-event.js';
import { scavenge } from './store/scavenge.js';

/** An EventStoreDB node in this process, as far as its clients can see. */
export interface EventStoreDouble {
  /** The connection string, with the first of its users where it has any. It stays the same over restarts. */
  url: string;
  /** The connection string with this user: one of its users, or `admin`. */
  urlOf: (user: string) => string;
  port: number;
  /** Number of open subscriptions. */
  subscriptions: number;
  /** Makes these errors from now on, instead of earlier ones. */
  misbehave(misbehaviour: Misbehaviour): Promise<void>;
  /** Does everything right from now on. Calls that waited in silence are heard. */
  behave(): Promise<void>;
  /** Drops the subscriptions that are open, by default as slow consumers; gives their number. */
  dropSubscriptions(drop?: Drop): number;
  /** Ends the subscriptions that are open without an error; gives their number. */
  endSubscriptions(): number;
  /** Cuts all connections, as a kill of the server does, and comes back on the same port; it then behaves. */
  restart(options: { keepData: boolean }): Promise<void>;
  /** Removes what a scavenge removes, from all of the log; gives the number of events removed. */
  scavenge(): number;
  /** Number of reads, subscriptions and appends since the last call, by kind. */
  calls(): Readonly<Record<string, number>>;
  /** Events of the log, in its order: also those hidden from readers, and the server's own. */
  everyEvent(): readonly RecordedEvent[];
  /** Ends the subscriptions as a server that shuts down, then all connections. */
  stop(): Promise<void>;
}

export interface DoubleOptions {
  /** Default: a free one. */
  port?: number;
  /** File in which the data are kept for the next start; by default none. */
  dataFile?: string;
  /** Log and members of a cluster, for one of its members. By default the node is alone. */
  cluster?: { store: EventStore; membership: Membership };
  /** The line of EventStoreDB that it stands for; by default 23.10. */
  version?: VersionName;
  /** The server's option `--max-append-size`; by default that of the version. */
  maxAppendBytes?: number;
  /** The server's option `--max-append-event-size`. */
  maxAppendEventBytes?: number;
  /** Users in no group, beside the administrator `admin`; with them it has TLS and access control. By default it is insecure. */
  users?: readonly string[];
}

/** Time after which data written before the end of a call have left. */
const farewellMs = 50;

export async function startEventStoreDouble({
  port = 0,
  dataFile,
  cluster,
  version: versionName = '23.10',
  maxAppendBytes,
  maxAppendEventBytes,
  users = [],
}: DoubleOptions = {}): Promise<EventStoreDouble> {
  const version = serverVersions[versionName];
  const journal = dataFile === undefined ? withoutJournal : fileJournal(dataFile);
  const conduct = new Conduct();
  const connections = new Connections(port, (socket) => server.serve(socket));
  const subscriptions = new Subscriptions();
  const { store, membership } = cluster ?? {
    store: new EventStore(journal),
    membership: aloneUnlessSet(conduct, connections),
  };
  const node: Node = {
    store,
    conduct,
    connections,
    membership,
    subscriptions,
    version,
    maxAppendBytes: maxAppendBytes ?? version.maxAppendBytes,
    maxAppendEventBytes,
    users,
    calls: new Map(),
  };
  const server = grpcServer(node);
  await connections.open();

  const misbehave = async (misbehaviour: Misbehaviour) => {
    const { refuseConnections, refuseNewConnections } = misbehaviour;
    if (refuseConnections || refuseNewConnections) connections.close();
    if (refuseConnections) await connections.cut();
    conduct.tell(misbehaviour);
    if (!refuseConnections && !refuseNewConnections) await connections.open();
  };

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    connections.close();
    if (subscriptions.end(callEnded()) > 0) await pause(farewellMs);
    await connections.cut();
    server.close();
    journal.close();
  };

  const urlOf = users.length > 0 ? urlsOfUsers(connections.port) : () => `esdb://${host}:${connections.port}?tls=false`;

  return {
    url: urlOf(users[0] ?? ''),
    urlOf,
    port: connections.port,
    get subscriptions() {
      return subscriptions.count;
    },
    misbehave,
    behave: () => misbehave({}),
    dropSubscriptions: ({ code } = {}) => subscriptions.end(dropped(code)),
    endSubscriptions: () => subscriptions.end(),
    async restart({ keepData }) {
      await misbehave({ refuseConnections: true });
      if (!keepData) {
        journal.clear();
        node.store = new EventStore(journal);
      }
      await misbehave({});
    },
    scavenge: () => scavenge(node.store.log),
    calls() {
      const calls = Object.fromEntries(node.calls);
      node.calls.clear();
      return calls;
    },
    everyEvent: () => [...node.store.log.events],
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function urlsOfUsers(port: number): (user: string) => string {
  const caFile = encodeURIComponent(writtenCertificate());
  return (user) => `esdb://${user}:${password}@${host}:${port}?tlsCAFile=${caFile}`;
}
