import ipaddr from 'ipaddr.js';

export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses CIDR notation, such as `10.0.0.0/8`; throws for any other text. */
export const parseRange = (cidr: string): Range => ipaddr.parseCIDR(cidr);
