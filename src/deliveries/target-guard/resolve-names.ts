import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { hostsFile } from './hosts-file.js';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Where names are looked for, instead of where the system does: for tests. */
export type NameSources = {
  /** A path. */
  readonly hosts?: string;
  /** Name servers, as `Resolver.setServers` takes them. */
  readonly servers?: readonly string[];
  /** Knows what no name server does. */
  readonly askSystem?: Resolve;
};

/** Less than a lookup may take, so that one family of addresses is used where the other is never answered. */
const answeredWithinMs = 2_500;
/** A question, or its answer, that is lost is sent again while there is time: each wait is twice as long as the last. */
const questions = { timeout: 500, tries: 3 };

/** The name does not exist, or no name server is reachable: the system resolver is asked next. */
const leftToTheSystem = /^(ENOTFOUND|ENODATA|EBADNAME|ECONNREFUSED)$/;

const getaddrinfo: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Finds the addresses of a name: in the hosts file, then from the name servers, both families side by side. Fails with
 * `ENOTFOUND` where there is no such name, and with `EAI_AGAIN` where no resolver answered.
 *
 * getaddrinfo takes a thread until it is done, and has two: two names whose servers never answer would keep all others
 * waiting. A question to a name server takes none. But search domains, mDNS and what else the system is configured for are
 * known to getaddrinfo alone, so it is asked last, and never for a name that a name server has been silent about.
 */
export function nameResolver({ hosts = '/etc/hosts', servers, askSystem = getaddrinfo }: NameSources = {}): Resolve {
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
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const unanswered = failures.find(({ code }) => !leftToTheSystem.test(code));
    if (!unanswered) return askSystem(hostname);
    throw Object.assign(new Error(`no name server answered for ${hostname}`, { cause: unanswered }), {
      code: 'EAI_AGAIN',
    });
  }

  return async (hostname) => inHostsFile(hostname) ?? askServers(hostname);
}
