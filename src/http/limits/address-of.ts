import ipaddr from 'ipaddr.js';
import type { Context } from '../context.js';

/** The address of a request's client. */
export type AddressOf = (ctx: Context) => string;

/** The peer of the connection. */
export const peerAddress: AddressOf = ({ req }) => req.socket.remoteAddress ?? '';

const prefixBits = 64;

/** An IPv4 address, or the /64 network of an IPv6 address: one subscriber has at least all addresses of a /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address); // an IPv4 peer of a dual-stack socket has the form ::ffff:…
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts
    .slice(0, prefixBits / 16)
    .map((part) => part.toString(16))
    .join(':')}::/${prefixBits}`;
}
