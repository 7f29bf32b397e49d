import type ipaddr from 'ipaddr.js';

/** An address range, as ipaddr.js parses it. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
