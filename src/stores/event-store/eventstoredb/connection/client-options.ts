import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { NodePreference, SingleNodeOptions } from '@eventstore/db-client';
import { type ConnectionSettings, InvalidConnectionString } from './connection-string.js';

const defaultKeepAliveMs = 10_000;
let connections = 0;

export const isCluster = ({ hosts, discover }: ConnectionSettings): boolean => discover || hosts.length > 1;

/**
 * A connection carries at most 100 concurrent calls, and clients with equal options share one. An option value unique
 * in the process gives the client its own.
 */
export function clientOptions(
  settings: ConnectionSettings,
  { nodePreference, gossipTimeoutS }: { readonly nodePreference: NodePreference; readonly gossipTimeoutS: number },
) {
  const { hosts, discover, connectionName, timing } = settings;
  const { keepAliveInterval = defaultKeepAliveMs, keepAliveTimeout, ...discovery } = timing;
  connections += 1;
  const common = {
    ...(connectionName !== undefined && { connectionName }),
    ...(keepAliveTimeout !== undefined && { keepAliveTimeout }),
    keepAliveInterval: keepAliveInterval < 0 ? keepAliveInterval : keepAliveInterval + (connections % 1_000),
  };
  const [first] = hosts;
  if (!isCluster(settings)) return { endpoint: first, ...common };
  const cluster = { ...common, ...discovery, gossipTimeout: gossipTimeoutS, nodePreference };
  // The constructor accepts any of the three, in one overload each.
  return (discover
    ? { discover: first, ...cluster }
    : { endpoints: hosts, ...cluster }) as unknown as SingleNodeOptions;
}

export function channelOptions({ tls, files: { ca, userCert, userKey } }: ConnectionSettings) {
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
