import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Name servers and hosts file instead of the system's, for tests. */
export type NameSources = {
  /** A path. */
  hosts?: string;
  /** Name servers, as `Resolver.setServers` takes them. */
  servers?: readonly string[];
  /** Knows what no name server does. */
  askSystem?: Resolve;
  /** Called when a name was found, or found not to exist: names can be resolved. */
  onResolved?: () => void;
};

/** Less than a lookup may take, so that one family of addresses is used where the other is never answered. */
const answeredWithinMs = 2_500;
/** A question, or its answer, that is lost is sent again while there is time: each wait is twice as long as the last. */
const questions = { timeout: 500, tries: 3 };

/** A name server has answered that the name does not exist, or has no address. */
const notThere = /^(ENOTFOUND|ENODATA)$/;
/** Codes after which the system resolver is asked: no such name, or no name server is reachable. */
const leftToTheSystem = /^(ENOTFOUND|ENODATA|EBADNAME|ECONNREFUSED)$/;

/** Names of this machine (RFC 6761 §6.3), which name servers do not know. */
const localName = /(^|\.)localhost\.?$/i;
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const getaddrinfo: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Finds the addresses of a name: in the hosts file, then from the name servers, both families concurrently, last by
 * getaddrinfo, which alone knows search domains and mDNS. It is not asked for names on which a name server timed out:
 * it blocks one of two threads. Fails with `ENOTFOUND`, or `EAI_AGAIN` if no resolver answered.
 */
export function resolveNamesWith({
  hosts = '/etc/hosts',
  servers,
  askSystem = getaddrinfo,
  onResolved,
}: NameSources = {}): Resolve {
  const inHostsFile = hostsFile(hosts);

  async function askServers(hostname: string): Promise<readonly LookupAddress[]> {
    const resolver = new Resolver(questions); // one each: it reads which servers there are now, and is cancelled alone
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), answeredWithinMs);
    const answers = await Promise.allSettled([
      // IPv4 first, for it is what works everywhere. Connecting tries both families in turn.
      resolver.resolve4(hostname).then((addresses) => addresses.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(hostname).then((addresses) => addresses.map((address) => ({ address, family: 6 }))),
    ]);
    clearTimeout(timer);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const isAnswered = addresses.length > 0 || failures.some(({ code }) => notThere.test(code));
    if (isAnswered) onResolved?.();
    if (addresses.length > 0) return addresses;
    const unanswered = failures.find(({ code }) => !leftToTheSystem.test(code));
    if (unanswered) throw unansweredFor(hostname, unanswered);
    try {
      const known = await askSystem(hostname);
      onResolved?.();
      return known;
    } catch (error) {
      // getaddrinfo says "not found" also if it cannot open a socket: without an answer that is not known.
      if (failures.some(({ code }) => code === 'ECONNREFUSED')) throw unansweredFor(hostname, error);
      throw error;
    }
  }

  return async (hostname) => inHostsFile(hostname) ?? (localName.test(hostname) ? loopback : askServers(hostname));
}

const unansweredFor = (hostname: string, cause: unknown): Error =>
  Object.assign(new Error(`no name server answered for ${hostname}`, { cause }), { code: 'EAI_AGAIN' });

type Names = ReadonlyMap<string, readonly LookupAddress[]>;

/** Addresses of a name in a hosts file (hosts(5)); undefined if it has none, or does not exist. */
function hostsFile(path: string): (hostname: string) => readonly LookupAddress[] | undefined {
  let names: Names = new Map();
  let readAt: number | undefined;

  return (hostname) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt !== readAt) names = changedAt === undefined ? new Map() : namesIn(readFileSync(path, 'utf8'));
    readAt = changedAt; // containers are given names while they run, and lists of blocked hosts are long
    return names.get(hostname.toLowerCase());
  };
}

function namesIn(text: string): Names {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...itsNames] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of itsNames.map((each) => each.toLowerCase())) {
      const known = names.get(name) ?? [];
      if (!known.some((each) => each.address === address)) names.set(name, [...known, { address, family }]);
    }
  }
  return names;
}

/**
 * One lookup of a name for all concurrent callers, even after earlier ones gave up, because getaddrinfo keeps its
 * thread. A lookup that takes longer than `timeoutMs` fails with `EAI_AGAIN`.
 */
export function sharedLookups(resolve: Resolve, timeoutMs: number): Resolve {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  function lookUp(hostname: string): Promise<readonly LookupAddress[]> {
    const lookup = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  }

  return (hostname) =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => {
        fail(Object.assign(new Error(`no name server answered for ${hostname} in time`), { code: 'EAI_AGAIN' }));
      }, timeoutMs);
      (underWay.get(hostname) ?? lookUp(hostname)).then(done, fail).finally(() => clearTimeout(timer));
    });
}
