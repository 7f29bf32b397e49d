import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EventStoreDBClient, type SingleNodeOptions } from '@eventstore/db-client';
import type { Channel } from '@grpc/grpc-js';
import { type ConnectionSettings, InvalidConnectionString } from './connection-string.js';

const defaultKeepAliveMs = 10_000;
let connections = 0;

/** A client with a connection of its own, which can be closed. */
export class Connection extends EventStoreDBClient {
  #channel: Promise<Channel> | undefined;

  constructor(settings: ConnectionSettings) {
    super(clientOptions(settings), channelOptions(settings), settings.credentials);

    // So it appends by unary calls, which keep their deadline, whether or not there are credentials: decision 6.
    this.supports = () => Promise.resolve(false);

    const getChannel = this.getChannel;
    this.getChannel = () => {
      this.#channel = getChannel();
      return this.#channel;
    };

    // The client awaits this nowhere, and it rejects where no node is found: that would end the process. Calls are told.
    const reconnect = this.handleError;
    this.handleError = (client, error) => reconnect(client, error).catch(() => undefined);
  }

  /** Cancels the calls that are open, and closes the connection. */
  async close(): Promise<void> {
    await this.dispose();
    // It may still be looking for a node, or have found none.
    this.#channel?.then(
      (channel) => channel.close(),
      () => undefined,
    );
  }
}

/**
 * A connection carries at most 100 calls at a time, and clients with the same options share one. An option that no other
 * client of the process has gives it one of its own.
 */
function clientOptions({ hosts, discover, connectionName, nodePreference, timing }: ConnectionSettings) {
  const { keepAliveInterval = defaultKeepAliveMs, keepAliveTimeout, ...discovery } = timing;
  connections += 1;
  const common = {
    ...(connectionName !== undefined && { connectionName }),
    ...(keepAliveTimeout !== undefined && { keepAliveTimeout }),
    keepAliveInterval: keepAliveInterval < 0 ? keepAliveInterval : keepAliveInterval + (connections % 1_000),
  };
  const cluster = { ...common, ...discovery, ...(nodePreference !== undefined && { nodePreference }) };
  const [first, ...others] = hosts;
  // The constructor takes any of the three, in overloads of one each.
  if (discover) return { discover: first, ...cluster } as unknown as SingleNodeOptions;
  return others.length > 0
    ? ({ endpoints: hosts, ...cluster } as unknown as SingleNodeOptions)
    : { endpoint: first, ...common };
}

function channelOptions({ tls, files: { ca, userCert, userKey } }: ConnectionSettings) {
  if (!tls) return { insecure: true };
  return {
    insecure: false,
    ...(ca !== undefined && { rootCertificate: readPem('tlsCAFile', ca) }),
    ...(userCert !== undefined && { userCertFile: readPem('userCertFile', userCert) }),
    ...(userKey !== undefined && { userKeyFile: readPem('userKeyFile', userKey) }),
  };
}

function readPem(option: string, path: string): Buffer {
  try {
    return readFileSync(resolve(path));
  } catch (error) {
    throw new InvalidConnectionString(`the connection string of EventStoreDB: ${option} cannot be read`, {
      cause: error,
    });
  }
}
