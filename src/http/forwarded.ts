import ipaddr from 'ipaddr.js';
import { parseRange } from '../kernel/address-range.js';
import type { Context } from './context.js';

/** Whether a peer is in the CIDR ranges of the gateways whose identity headers and `X-Forwarded-*` are trusted. */
export function gatewayCheck(gateways: readonly string[]): (peerAddress: string | undefined) => boolean {
  const ranges = gateways.map(parseRange);
  return (peerAddress) => {
    if (peerAddress === undefined || !ipaddr.isValid(peerAddress)) return false;
    const peer = ipaddr.process(peerAddress); // an IPv4 peer of a dual-stack socket has the form ::ffff:…
    return ranges.some(([range, bits]) => peer.kind() === range.kind() && peer.match(range, bits));
  };
}

/** The host that the caller requested: `X-Forwarded-Host` if a trusted gateway sent it, else `Host`. */
export const hostSeenBy =
  (isTrustedGateway: (peerAddress: string | undefined) => boolean) =>
  (ctx: Context): string => {
    const forwarded = ctx.get('x-forwarded-host').split(',')[0]?.trim();
    return forwarded && isTrustedGateway(ctx.req.socket.remoteAddress) ? forwarded : ctx.host;
  };
