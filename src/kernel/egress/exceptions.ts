import ipaddr from 'ipaddr.js';
import { parseRange } from '../input/address-range.js';

type Exceptions = { name: (hostname: string) => boolean; address: (text: string) => boolean };

/** Entries as in `EgressProxy`. */
export function exceptionsOf(entries: readonly string[]): Exceptions {
  const ranges = entries.filter(ipaddr.isValidCIDR).map(parseRange);
  const names = entries.filter((entry) => !ipaddr.isValidCIDR(entry)).map((entry) => entry.toLowerCase());
  return {
    name(hostname) {
      const name = hostname.toLowerCase().replace(/\.$/, '');
      return names.some((entry) => (entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry));
    },
    address(text) {
      if (ranges.length === 0 || !ipaddr.isValid(text)) return false;
      const address = ipaddr.process(text); // of an IPv4-mapped one the IPv4 address
      return ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
    },
  };
}
