import ipaddr from 'ipaddr.js';
import type { Range } from '../../kernel/input/address-range.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type AddressPolicy = {
  /** 127.0.0.0/8 and ::1: development mode. */
  allowLoopback: boolean;
  /** Allowed whatever else is said of them. */
  allowedTargets: readonly Range[];
};

/**
 * Addresses that are not global unicast, from the IANA special-purpose registries (RFC 6890 and later), and cloud
 * metadata services at global addresses.
 */
const refusedRanges: readonly (readonly [cidr: string, kind: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared (CGNAT)'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'metadata'], // Azure's, reached only from within; other clouds' are in ranges that are refused anyway
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::1/128', 'loopback'],
  ['2001::/23', 'IETF protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
];
const refused = refusedRanges.map(([cidr, kind]) => [ipaddr.parseCIDR(cidr), kind] as const);
/** The only part of the IPv6 space that is given out as global unicast: the rest is refused without naming it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Ranges whose addresses stand for an IPv4 address, and the byte at which that begins. */
const carriers: readonly (readonly [Range, number])[] = (
  [
    ['::ffff:0:0/96', 12], // IPv4-mapped (RFC 4291)
    ['::/96', 12], // IPv4-compatible (RFC 4291, deprecated)
    ['::ffff:0:0:0/96', 12], // IPv4-translated (RFC 7915)
    ['64:ff9b::/96', 12], // NAT64 (RFC 6052)
    ['2002::/16', 2], // 6to4 (RFC 3056)
  ] as const
).map(([cidr, at]) => [ipaddr.parseCIDR(cidr), at]);
const teredo = ipaddr.IPv6.parseCIDR('2001::/32');

/** Reason why deliveries to this address are refused, as a short phrase; undefined if they are allowed. A text that is no address is refused. */
export function refusalOf(text: string, policy: AddressPolicy): string | undefined {
  if (text.includes('%')) return 'is a scoped address';
  if (!ipaddr.isValid(text)) return 'is not an address';
  return judge(ipaddr.parse(text), policy);
}

function judge(address: Address, policy: AddressPolicy): string | undefined {
  if (policy.allowedTargets.some((range) => within(address, range))) return undefined;
  const inside = address instanceof ipaddr.IPv6 ? carriedBy(address) : [];
  if (inside.length > 0)
    return inside.map((carried) => judge(carried, policy)).find((refusal) => refusal !== undefined);
  const kind = refused.find(([range]) => within(address, range))?.[1];
  if (kind === 'loopback' && policy.allowLoopback) return undefined;
  if (kind) return `is in a range that is not public (${kind})`;
  return address.kind() === 'ipv6' && !within(address, globalUnicast) ? 'is not a public address' : undefined;
}

/** The IPv4 addresses that an IPv6 address leads to. ::1 and :: are in a carrier's range, but carry nothing. */
function carriedBy(address: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const at = (offset: number, mask = 0) => new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => byte ^ mask));
  if (bytes.slice(0, 15).every((byte) => byte === 0)) return [];
  // RFC 4380 §4: the server's address, then the client's with all bits inverted.
  if (within(address, teredo)) return [at(4), at(12, 0xff)];
  const offset = carriers.find(([range]) => within(address, range))?.[1];
  return offset === undefined ? [] : [at(offset)];
}

const within = (address: Address, [range, bits]: Range): boolean =>
  address.kind() === range.kind() && address.match(range, bits);
