import ipaddr from 'ipaddr.js';

export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses CIDR notation, such as `10.0.0.0/8`; throws for any other text. */
export const parseRange = (cidr: string): Range => ipaddr.parseCIDR(cidr);

/** A range of IPv4-mapped addresses (`::ffff:0:0/96`) is that of IPv4. */
export function rangeOf(cidr: string): Range {
  const [range, bits] = parseRange(cidr);
  const isMapped = range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= mappedBits;
  return isMapped ? [range.toIPv4Address(), bits - mappedBits] : [range, bits];
}

const mappedBits = 96;

/** Ranges of private networks, which do not count as public addresses. */
const privateRanges = [
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ...['fc00::/7', 'fe80::/10'],
].map(parseRange);

/** More than any network of proxies or listeners has: of IPv4 one block of 256, of IPv6 an allocation to a registry. */
const maxShare = { ipv4: 2 ** -8, ipv6: 2 ** -16 };

/** True if the ranges together are a large part of the public addresses, also as halves or in many pieces. */
export function isBroad(cidrs: readonly string[]): boolean {
  const shares = { ipv4: 0, ipv6: 0 };
  for (const [range, bits] of cidrs.map(rangeOf)) {
    const isPrivate = privateRanges.some(
      ([known, prefix]) => known.kind() === range.kind() && bits >= prefix && range.match(known, prefix),
    );
    if (!isPrivate) shares[range.kind()] += 2 ** -bits;
  }
  return shares.ipv4 > maxShare.ipv4 || shares.ipv6 > maxShare.ipv6;
}

const metadata = ['169.254.169.254', '168.63.129.16'].map((address) => ipaddr.IPv4.parse(address));

/** True if an address at which clouds serve the metadata of their machines is in a range. */
export const holdsMetadata = (cidrs: readonly string[]): boolean =>
  cidrs
    .map(rangeOf)
    .some(([range, bits]) => range instanceof ipaddr.IPv4 && metadata.some((address) => address.match(range, bits)));
