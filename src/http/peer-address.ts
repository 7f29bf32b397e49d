import ipaddr from 'ipaddr.js';

/** Parses an IP address. An IPv4-mapped one (`::ffff:192.0.2.1`, as a dual-stack socket has it) is the IPv4 address. */
const parseAddress = (text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;

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
