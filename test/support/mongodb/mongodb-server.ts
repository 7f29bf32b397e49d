/** A MongoDB for tests, real or standing in. `url` stays the same over restarts. */
export type MongoDbServer = {
  readonly kind: 'given' | 'mongod' | 'mongo-java-server' | 'mongodb-memory-server';
  /** A connection string without a database. */
  readonly url: string;
  /** Of its process; undefined for a server that was given. */
  readonly pid?: () => number | undefined;
  /** As SIGTERM does it: nothing that was acknowledged is lost. Absent for a server that was given: it is not ours. */
  readonly stop?: () => Promise<void>;
  /** `kill -9`. Absent for a server that was given. */
  readonly kill?: () => Promise<void>;
  /** Stops it where it still runs, and starts it again on the same port. Absent for a server that was given. */
  readonly restart?: (options: { readonly keepData: boolean }) => Promise<void>;
};

export type StartOptions = {
  /** 0, or none: any that is free. */
  readonly port?: number;
  /** Where the data lives, and stays after a stop. Without it: a temporary directory, gone when this process ends. */
  readonly dataDirectory?: string;
};

/** No MongoDB can be had on this machine, in any of the ways that were looked for; the message names them all. */
export class NoMongoDb extends Error {
  override readonly name = 'NoMongoDb';
  readonly code = 'no_mongodb';

  constructor(readonly lookedFor: readonly string[]) {
    super(`no MongoDB for the tests. Looked for:\n${lookedFor.map((each) => `  - ${each}`).join('\n')}`);
  }
}

/** One way of having a MongoDB cannot be taken here; says why, and the next way is tried. */
export class NotAtHand extends Error {
  override readonly name = 'NotAtHand';
}
