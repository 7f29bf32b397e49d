import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { NodePreference, SingleNodeOptions } from '@eventstore/db-client';
import { DomainError } from '../../../../kernel/domain-error.js';
import { defined } from '../../../../kernel/input/defined.js';

/** The message never contains a part that may be a password. */
export class InvalidConnectionString extends DomainError {
  readonly code = 'invalid_connection_string';
}

export type Host = { address: string; port: number };
type Credentials = { username: string; password: string };

export type ConnectionSettings = {
  hosts: readonly [Host, ...Host[]];
  /** The first host is a DNS name of the cluster. */
  discover: boolean;
  tls: boolean;
  /** Paths of PEM files. */
  files: { ca?: string; userCert?: string; userKey?: string };
  credentials: Credentials | undefined;
  connectionName: string | undefined;
  nodePreference: NodePreference | undefined;
  /** Times in milliseconds, except `gossipTimeout` in seconds, as in the client. */
  timing: Readonly<Partial<Record<TimingOption, number>>>;
};

const timingOptions = [
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
] as const;
type TimingOption = (typeof timingOptions)[number];

const nodePreferences: readonly NodePreference[] = ['leader', 'follower', 'read_only_replica', 'random'];

const knownOptions = [
  ...timingOptions,
  ...(['tls', 'tlsVerifyCert', 'tlsCAFile', 'userCertFile', 'userKeyFile'] as const),
  ...(['connectionName', 'nodePreference'] as const),
];
type KnownOption = (typeof knownOptions)[number];

const form =
  /^(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\/(?:(?<user>[^:@/?#]+):(?<password>[^:@/?#]+)@)?(?<hosts>[^@/?#]+)\/?(?:\?(?<query>[^@?#]*))?$/;

/**
 * Reads `esdb://`, `esdb+discover://` or `kurrentdb://` URLs. The client's own parser misreads a raw `@` or `:` in a
 * password, ignores unknown options, and prints the string in its warning. Throws `InvalidConnectionString`.
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const parts = form.exec(text.trim())?.groups;
  if (!parts) throw invalid(formFault(text.trim()));
  const { discover, user, password, hosts = '', query = '' } = parts;
  const options = parseOptions(query);
  const files: ConnectionSettings['files'] = defined({
    ca: options.tlsCAFile,
    userCert: options.userCertFile,
    userKey: options.userKeyFile,
  });
  if ((files.userCert === undefined) !== (files.userKey === undefined))
    throw invalid('userCertFile and userKeyFile go together');
  if (truth('tlsVerifyCert', options.tlsVerifyCert) === false)
    throw invalid('tlsVerifyCert=false is not offered by the client: name the certificate authority with tlsCAFile');
  const [first, ...others] = hosts.split(',').map(parseHost);
  if (!first) throw invalid('a host is missing');
  return {
    hosts: [first, ...others],
    discover: discover !== undefined,
    tls: truth('tls', options.tls) ?? true,
    files,
    credentials:
      user === undefined || password === undefined
        ? undefined
        : { username: decoded('the user', user), password: decoded('the password', password) },
    connectionName: options.connectionName,
    nodePreference: preference(options.nodePreference),
    timing: Object.fromEntries(
      timingOptions.flatMap((name) => (options[name] === undefined ? [] : [[name, integer(name, options[name])]])),
    ),
  };
}

function formFault(text: string): string {
  if (!/^(esdb|kurrentdb)(\+discover)?:\/\//.test(text))
    return 'it begins with esdb://, esdb+discover://, kurrentdb:// or kurrentdb+discover://';
  const authority = text.slice(text.indexOf('://') + 3);
  if (authority.includes('@'))
    return 'of the user and the password, @ : / ? and # are written as %40 %3A %2F %3F and %23, and both are there';
  return 'it is esdb://[user:password@]host[:port][,host[:port]…][?option=value[&option=value…]]';
}

function parseHost(text: string): Host {
  const { address, port = '2113' } = /^(?<address>[\w.-]+)(?::(?<port>\d{1,5}))?$/.exec(text.trim())?.groups ?? {};
  if (address === undefined || Number(port) > 65_535) throw invalid('a host is a name or an IPv4 address, and a port');
  return { address, port: Number(port) };
}

function parseOptions(query: string): Partial<Record<KnownOption, string>> {
  const options: Partial<Record<KnownOption, string>> = {};
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const [, key = pair, value] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const name = knownOptions.find((known) => flat(known) === flat(key));
    if (!name || value === undefined) throw invalid(`its options are ${knownOptions.join(', ')}, each with a value`);
    options[name] = decoded(name, value.trim());
  }
  return options;
}

/** Option names are case-insensitive, with or without dashes or underscores. */
const flat = (name: string): string => name.trim().toLowerCase().replace(/[_-]/g, '');

function decoded(what: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`${what} holds a % that begins no percent-encoding`);
  }
}

function truth(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalid(`${name} is true or false`);
  return value === 'true';
}

function integer(name: string, value: string): number {
  if (!/^-?\d{1,9}$/.test(value)) throw invalid(`${name} is a whole number`);
  return Number(value);
}

function preference(value: string | undefined): NodePreference | undefined {
  if (value === undefined) return undefined;
  const known = nodePreferences.find((each) => flat(each) === flat(value));
  if (!known) throw invalid(`nodePreference is ${nodePreferences.join(', ')}`);
  return known;
}

const invalid = (fault: string) => new InvalidConnectionString(`the connection string of EventStoreDB: ${fault}`);

const defaultKeepAliveMs = 10_000;
let connections = 0;

export const isCluster = ({ hosts, discover }: ConnectionSettings): boolean => discover || hosts.length > 1;

/**
 * A connection carries at most 100 concurrent calls, and clients with equal options share one. An option value unique
 * in the process gives the client its own.
 */
export function clientOptions(
  settings: ConnectionSettings,
  { nodePreference, gossipTimeoutS }: { nodePreference: NodePreference; gossipTimeoutS: number },
) {
  const { hosts, discover, connectionName, timing } = settings;
  const { keepAliveInterval = defaultKeepAliveMs, keepAliveTimeout, ...discovery } = timing;
  connections += 1;
  const common = {
    ...defined({ connectionName, keepAliveTimeout }),
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
    ...defined({
      rootCertificate: readPem('tlsCAFile', ca),
      userCertFile: readPem('userCertFile', userCert),
      userKeyFile: readPem('userKeyFile', userKey),
    }),
  };
}

function readPem(option: string, path: string | undefined): Buffer | undefined {
  try {
    return path === undefined ? undefined : readFileSync(resolve(path));
  } catch (error) {
    throw new InvalidConnectionString(`the connection string of EventStoreDB: ${option} cannot be read`, {
      cause: error,
    });
  }
}
