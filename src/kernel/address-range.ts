import ipaddr from 'ipaddr.js';

/** An address range, as ipaddr.js parses it. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses CIDR notation, such as `10.0.0.0/8`. Throws an error if the text is anything else. */
export const parseRange = (cidr: string): Range => ipaddr.parseCIDR(cidr);
