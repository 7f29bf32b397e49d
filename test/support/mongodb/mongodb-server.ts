/** A MongoDB for tests, real or standing in. `url` stays the same over restarts. */
export type MongoDbServer = {
  kind: 'given' | 'mongod' | 'mongo-java-server';
  /** A connection string without a database. */
  url: string;
  /** The process id; undefined for a given server. */
  pid?: () => number | undefined;
  /**
   * Stops it with SIGTERM, without loss of acknowledged writes. Absent for a given server, which must not be stopped.
   */
  stop?: () => Promise<void>;
  /** `kill -9`. Absent for a given server. */
  kill?: () => Promise<void>;
  /** Stops it if it runs, and starts it again on the same port. Absent for a given server. */
  restart?: (options: { keepData: boolean }) => Promise<void>;
};

export type StartOptions = {
  /** 0 or undefined: any free port. */
  port?: number;
  /** The data directory, kept after a stop. Default: a temporary directory, removed when this process ends. */
  dataDirectory?: string;
  /** A server in Java compiles and collects for a benchmark, instead of being ready sooner, and modest, beside tests. */
  forLoad?: boolean;
};

/** No MongoDB is available on this machine; the message lists the sources tried. */
export class NoMongoDb extends Error {
  override readonly name = 'NoMongoDb';
  readonly code = 'no_mongodb';

  constructor(readonly lookedFor: readonly string[]) {
    super(`no MongoDB for the tests. Looked for:\n${lookedFor.map((each) => `  - ${each}`).join('\n')}`);
  }
}

/** One source of a MongoDB is not available; the message gives the reason, and the next source is tried. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable';
}
