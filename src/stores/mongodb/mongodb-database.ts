import { type Db, MongoClient, type MongoClientOptions, MongoParseError } from 'mongodb';
import type { Logger } from 'pino';
import { DomainError } from '../../kernel/domain-error.js';
import { failWritesToClosedSockets } from './closed-sockets.js';

failWritesToClosedSockets();

/** What is wrong with the URL. The message never holds any part of it that may be a password. */
export class InvalidMongoDbUrl extends DomainError {
  readonly code = 'invalid_connection_string';
}

/** One database, for all that keep something in it. */
export type MongoDatabase = {
  /** For all that a caller waits for: it fails where no primary is found, or none answers, for 15 to 20 seconds. */
  readonly db: Db;
  /** The same database for what may take minutes, such as an index on a large collection. Connects when it is used. */
  readonly patient: Db;
  /** Ends all connections; what is under way fails. */
  readonly close: () => Promise<void>;
};

export type OpenMongoDb = {
  /** `mongodb://` or `mongodb+srv://`; the database in its path is used, unless `database` says another. */
  readonly url: string;
  readonly database?: string;
  readonly log?: Logger;
};

const defaultDatabase = 'flow_hooks';

/**
 * What has been acknowledged survives the loss of the primary, and what has been read was acknowledged so. Positions are
 * int64 and come as bigint; what is `undefined` is left out, as in JSON. Reads and writes are retried once by the driver
 * where the server knows sessions; without them an ambiguous write fails, and may have happened.
 */
const options: MongoClientOptions = {
  appName: 'flow-hooks',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 4_000 },
  readConcern: { level: 'majority' },
  readPreference: 'primary',
  useBigInt64: true,
  ignoreUndefined: true,
  // Longer than a replica set may take to elect a primary that nobody asked to step down, 12 seconds by MongoDB's manual: so
  // writes are repeated at the next one. Requests wait as long where there is no MongoDB at all.
  serverSelectionTimeoutMS: 15_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 5_000,
  waitQueueTimeoutMS: 3_000,
  // A server that has died is noticed by this, also where nothing is asked of it and it closes no connection.
  heartbeatFrequencyMS: 1_000,
};
const patience: MongoClientOptions = {
  socketTimeoutMS: 30 * 60_000,
  // A server that makes the indexes of a large view may be slow to answer whoever looks whether it lives.
  connectTimeoutMS: 20_000,
  writeConcern: { w: 'majority', journal: true },
};

/**
 * Opens a database. It connects when it is first used, and again by itself whenever the server was gone: nothing fails here
 * but a URL that cannot be read, or that weakens what reads and writes promise (`InvalidMongoDbUrl`).
 */
export function openMongoDb({ url, database, log }: OpenMongoDb): MongoDatabase {
  const client = clientOf(url, options);
  const patient = clientOf(url, { ...options, ...patience });
  const name = database ?? databaseOf(url) ?? defaultDatabase;
  if (log) logReachability(client, log);
  return {
    db: client.db(name),
    patient: patient.db(name),
    close: async () => void (await Promise.all([client.close(), patient.close()])),
  };
}

/** The part after the hosts. In the user and the password a `/` is written `%2F`. */
const databaseOf = (url: string): string | undefined => {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]+\/(?<name>[^?]+)/.exec(url)?.groups?.name;
  return name && decodeURIComponent(name); // the driver has read it before, so it can be decoded
};

function clientOf(url: string, settings: MongoClientOptions): MongoClient {
  const client = newClient(url, settings);
  requireGuarantees(client);
  return client;
}

/**
 * The driver lets these options of a URL win over ours, in several spellings and in any case, so what it has made of them
 * is looked at. `w` and `readPreference` of a URL it overrides with ours.
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
    // Not as its cause, which is logged: the driver quotes what it takes for the user. It says no more of the password.
    const said = error instanceof MongoParseError && !/user/i.test(error.message) ? `: ${error.message}` : '';
    throw new InvalidMongoDbUrl(`the URL of MongoDB cannot be used${said}`);
  }
}

/** Says once when servers cannot be reached, and once when they can again. */
function logReachability(client: MongoClient, log: Logger): void {
  client.on('serverDescriptionChanged', ({ address, previousDescription: before, newDescription: after }) => {
    if (after.type === 'Unknown' && after.error && !before.error) {
      log.warn({ server: address, reason: after.error.message }, 'MongoDB cannot be reached');
    } else if (after.type !== 'Unknown' && before.error) {
      log.info({ server: address, type: after.type }, 'MongoDB can be reached again');
    }
  });
}
