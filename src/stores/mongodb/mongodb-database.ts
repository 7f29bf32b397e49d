import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { type Db, MongoClient, type MongoClientOptions, MongoError, MongoNetworkError, MongoParseError } from 'mongodb';
import type { Logger } from 'pino';
import { DomainError } from '../../kernel/domain-error.js';

/** The driver does not export its connection class. */
type DriverConnection = {
  socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
};

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  Connection: { prototype: DriverConnection };
};

failWritesToClosedSockets();

/** The message contains no part of the URL that may be a password. */
export class InvalidMongoDbUrl extends DomainError {
  readonly code = 'invalid_connection_string';
}

export type MongoDatabase = {
  /** Calls fail within seconds if no primary is found or answers. */
  db: Db;
  /** Database for calls that may take minutes, such as creating an index. Connects on first use. */
  patient: Db;
  /** Calls under way fail. */
  close: () => Promise<void>;
};

export type OpenMongoDb = {
  /** The path names the database, unless `database` is given. */
  url: string;
  database?: string;
  log?: Logger;
};

const defaultDatabase = 'flow_hooks';

/**
 * Acknowledged writes survive the loss of the primary, and reads return only such writes. Positions are int64, read as
 * bigint. The driver retries once if the server supports sessions; else an ambiguous write fails, and may have been
 * executed.
 */
const options: MongoClientOptions = {
  appName: 'flow-hooks',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 4_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  useBigInt64: true,
  ignoreUndefined: true,
  // Shorter than an election: workers, followers and leases retry by themselves. Requests that nothing retries use
  // `throughElection`.
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 5_000,
  waitQueueTimeoutMS: 3_000,
  // Detects a dead server even if it is idle and closes no connection.
  heartbeatFrequencyMS: 1_000,
};
const patientOptions: MongoClientOptions = {
  socketTimeoutMS: 30 * 60_000,
  // A server that builds large indexes may answer heartbeats slowly.
  connectTimeoutMS: 20_000,
  heartbeatFrequencyMS: 10_000,
  writeConcern: { w: 'majority', journal: true },
};

/**
 * Connects on first use, and reconnects. Throws `InvalidMongoDbUrl` if the URL cannot be parsed, or weakens the
 * guarantees of reads and writes.
 */
export function openMongoDb({ url, database, log }: OpenMongoDb): MongoDatabase {
  const client = clientOf(url, options);
  const patient = clientOf(url, { ...options, ...patientOptions });
  const name = database ?? databaseOf(url) ?? defaultDatabase;
  if (log) logReachability(client, log);
  return {
    db: client.db(name),
    patient: patient.db(name),
    close: async () => void (await Promise.all([client.close(), patient.close()])),
  };
}

/** The part after the hosts; in user and password a `/` is written `%2F`. */
const databaseOf = (url: string): string | undefined => {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/(?<name>[^?]+)/.exec(url)?.groups?.name;
  return name && decodeURIComponent(name); // the driver has parsed it before, so it can be decoded
};

function clientOf(url: string, settings: MongoClientOptions): MongoClient {
  const client = newClient(url, settings);
  requireGuarantees(client);
  Object.assign(client.options, pools);
  return client;
}

/** No option of the driver (7.8, 7.9): each pool looks every 100 ms if it has fewer connections than `minPoolSize`, by default 0. */
const pools = { minPoolSizeCheckFrequencyMS: 10_000 };

/**
 * Checks the result, since these options of the URL take precedence over ours, in several spellings. Our `w` and `readPreference` take
 * precedence over the URL's.
 */
function requireGuarantees({ options: { readConcern, writeConcern } }: MongoClient): void {
  const weakened = [
    ...(readConcern?.level === 'majority' ? [] : ['readConcernLevel may only be majority']),
    ...(writeConcern?.journal === true ? [] : ['journal may only be true']),
  ];
  if (weakened.length === 0) return;
  throw new InvalidMongoDbUrl(`the URL of MongoDB weakens what the service relies on: ${weakened.join(', ')}`);
}

function newClient(url: string, settings: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, settings);
  } catch (error) {
    // Not as the cause, which is logged: the driver's message may quote what it takes for the user.
    const reason = error instanceof MongoParseError && !/user/i.test(error.message) ? `: ${error.message}` : '';
    throw new InvalidMongoDbUrl(`the URL of MongoDB cannot be used${reason}`);
  }
}

function logReachability(client: MongoClient, log: Logger): void {
  client.on('serverDescriptionChanged', ({ address, previousDescription: before, newDescription: after }) => {
    if (after.type === 'Unknown' && after.error && !before.error) {
      log.warn({ server: address, reason: after.error.message }, 'MongoDB cannot be reached');
    } else if (after.type !== 'Unknown' && before.error) {
      log.info({ server: address, type: after.type }, 'MongoDB can be reached again');
    }
  });
}

/**
 * Makes writes to closed sockets fail with `MongoNetworkError`. In the driver (7.8, 7.9) a write to a destroyed socket
 * waits for ever, and if it was the heartbeat, the client never reconnects; a write to an ended socket fails with an
 * error that is not taken for a network error.
 */
function failWritesToClosedSockets(): void {
  const { writeCommand } = Connection.prototype;
  Connection.prototype.writeCommand = function (command, options) {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      const fail = (cause?: Error) =>
        reject(new MongoNetworkError('the connection has been closed', cause && { cause }));
      if (socket.destroyed) return fail();
      const closed = () => fail();
      socket.once('close', closed);
      writeCommand
        .call(this, command, options)
        .finally(() => socket.off('close', closed))
        .then(resolve, (error: Error) => {
          if (socket.destroyed && !(error instanceof MongoError)) fail(error);
          else reject(error);
        });
    });
  };
}
