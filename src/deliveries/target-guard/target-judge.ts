import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../kernel/domain-error.js';
import type { EgressProxy } from '../../kernel/egress/settings.js';
import { parseRange } from '../../kernel/input/address-range.js';
import { type AddressPolicy, refusalOf } from './address-policy.js';
import { type NameSources, type Resolve, resolveNamesWith, sharedLookups } from './resolve-names.js';

export type TargetPolicy = Pick<AddressPolicy, 'allowLoopback'> & {
  allowHttp: boolean;
  /** CIDR ranges to which deliveries are always allowed. */
  allowedTargets: readonly string[];
  /** Connections go through this proxy. */
  egress?: EgressProxy;
};

/** Judges hook URLs and the addresses of their hosts. */
export type TargetJudge = {
  /**
   * Checks the form of a hook URL, a literal address, and the addresses of its name if they are resolved in time.
   * Throws `TargetNotAllowed`.
   */
  check: (url: string) => Promise<void>;
  /** Judges the form of a URL and a literal address in it. Throws `TargetNotAllowed`. */
  judgeUrl: (url: URL) => void;
  /** Resolves names to addresses that it has judged. Fails with `TargetNotAllowed`. */
  lookup: LookupFunction;
  /** Time of the latest resolution other than by the hosts file: milliseconds of `performance.now()`. */
  namesResolvedAt: () => number;
};

export type JudgeOptions = {
  resolve?: Resolve;
  /** Sources of the resolver that is used without `resolve`. */
  names?: NameSources;
  /** Limit for finding the addresses of a name, at registering and at connecting. */
  checkTimeoutMs?: number;
  /** Less than a connection may take, which distinguishes a dead resolver from a dead listener. */
  lookupTimeoutMs?: number;
};

/** Ports of other protocols, which a listener must not be used to speak to (Fetch standard, "bad port"; the common ones). */
const otherProtocols = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104],
  ...[109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526],
  ...[530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045],
  ...[4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** The policy on targets without connections, which need an HTTP client. */
export function targetJudge(
  policy: TargetPolicy,
  { resolve, names, checkTimeoutMs = 1_000, lookupTimeoutMs = 3_000 }: JudgeOptions = {},
): TargetJudge {
  const addressPolicy = { ...policy, allowedTargets: policy.allowedTargets.map(parseRange) };
  let namesResolvedAt = Number.NEGATIVE_INFINITY;
  const onResolved = () => {
    namesResolvedAt = performance.now();
  };
  const lookUp = sharedLookups(resolve ?? resolveNamesWith({ ...names, onResolved }), lookupTimeoutMs);

  function judgeUrl({ protocol, username, password, hostname, port }: URL): void {
    if (protocol !== 'https:' && !(protocol === 'http:' && policy.allowHttp)) {
      throw new TargetNotAllowed(`the hook URL must be ${policy.allowHttp ? 'http or https' : 'https'}`);
    }
    if (username || password) throw new TargetNotAllowed('the hook URL must not hold a user name or password');
    if (port && otherProtocols.has(Number(port)))
      throw new TargetNotAllowed(`port ${port} is not allowed for listeners`);
    const literal = literalOf(hostname);
    if (literal !== undefined) judgeAddress(literal);
    else if (isLocalName(hostname) && !loopback.some(isAllowed))
      throw new TargetNotAllowed('the host of the hook URL is the local one');
  }

  const isAllowed = (address: string): boolean => refusalOf(address, addressPolicy) === undefined;

  function judgeAddress(address: string): void {
    const refusal = refusalOf(address, addressPolicy);
    if (refusal) throw new TargetNotAllowed(`the address of the hook URL's host ${refusal}`);
  }

  async function vetted(hostname: string): Promise<readonly LookupAddress[]> {
    const found = await lookUp(hostname);
    // Both families of this machine are one place: one that is allowed is enough, and connected to.
    const addresses = isLocalName(hostname) ? found.filter(({ address }) => isAllowed(address)) : found;
    if (addresses.length === 0 && found.length > 0)
      throw new TargetNotAllowed('the host of the hook URL is the local one');
    if (addresses.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    // One refused address refuses the name. The message says nothing of the address, which may be of an internal name.
    if (addresses.some(({ address }) => !isAllowed(address))) {
      throw new TargetNotAllowed('the host of the hook URL has an address that is not allowed');
    }
    return addresses;
  }

  const vettedLookup: LookupFunction = (hostname, options, callback) => {
    vetted(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error) => callback(error, ''),
    );
  };

  return {
    async check(url) {
      const parsed = new URL(url);
      judgeUrl(parsed);
      if (literalOf(parsed.hostname) !== undefined) return;
      const abandoned = new AbortController();
      try {
        await Promise.race([vetted(parsed.hostname), pause(checkTimeoutMs, undefined, { signal: abandoned.signal })]);
      } catch (error) {
        // A name that does not resolve now may do so later; every connection judges again.
        if (error instanceof TargetNotAllowed) throw error;
      } finally {
        abandoned.abort();
      }
    },
    namesResolvedAt: () => namesResolvedAt,
    judgeUrl,
    lookup: vettedLookup,
  };
}

/** `localhost` and the names below it (RFC 6761 §6.3). */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

const loopback = ['127.0.0.1', '::1'];

/** The address that a host of a URL is, if it is one: the URL parser has brought every spelling into one form. */
function literalOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** A hook URL points where deliveries must not go. The message says why, and never holds the URL. */
export class TargetNotAllowed extends DomainError {
  readonly code = 'target_not_allowed';
}
