import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Range } from '../kernel/address-range.js';
import { parseRange } from '../kernel/address-range.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an IP address. An IPv4-mapped one (`::ffff:192.0.2.1`, as a dual-stack socket has it) is the IPv4 address. */
export const parseAddress = (text: string | undefined): Address | undefined =>
  text !== undefined && isIP(text) !== 0 && !compatible.test(text) ? ipaddr.process(text) : undefined;

/** IPv4-compatible IPv6 (RFC 4291 §2.5.5.1, deprecated), which ipaddr.js takes for IPv4-mapped. */
const compatible = /^::\d+\./;

/** Whether an address is in one of the CIDR ranges, which may be of IPv4-mapped addresses. */
export function rangesCheck(cidrs: readonly string[]): (address: Address | undefined) => boolean {
  const ranges = cidrs.map(rangeOf);
  return (address) =>
    address !== undefined &&
    ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
}

const mappedBits = 96;

function rangeOf(cidr: string): Range {
  const [range, bits] = parseRange(cidr);
  const isMapped = range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= mappedBits;
  return isMapped ? [range.toIPv4Address(), bits - mappedBits] : [range, bits];
}

/** Bits of an IPv6 address that one subscriber gets: it can use any address with this prefix. */
const subscriberBits = 64;

/**
 * The network of a peer, as a text that is equal for all addresses that one host can choose from: its IPv4 address, or the first
 * 64 bits of its IPv6 address. Undefined if the address is not known.
 */
export function networkOf(address: string | undefined): string | undefined {
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString();
  return parsed
    .toByteArray()
    .slice(0, subscriberBits / 8)
    .join('.');
}
