import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { rangeOf } from '../kernel/input/address-range.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Parses an IP address. An IPv4-mapped one (`::ffff:192.0.2.1`, as a dual-stack socket has it) is the IPv4 address. */
const parseAddress = (text: string | undefined): Address | undefined =>
  text !== undefined && isIP(text) !== 0 && !compatible.test(text) ? ipaddr.process(text) : undefined;

/** IPv4-compatible IPv6 (RFC 4291 §2.5.5.1, deprecated), which ipaddr.js takes for IPv4-mapped. */
const compatible = /^::\d+\./;

/** True for an address in one of the CIDR ranges, which may be of IPv4-mapped addresses. */
function rangesCheck(cidrs: readonly string[]): (address: Address | undefined) => boolean {
  const ranges = cidrs.map(rangeOf);
  return (address) =>
    address !== undefined &&
    ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits));
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

export type TrustedPeerSettings = { trustedProxies: readonly string[]; trustedGateways: readonly string[] };

export type Peer = {
  /**
   * The address of the client: of the connection's peer, or of the last sender that is not trusted in the `X-Forwarded-For` of a
   * trusted one. An IPv4-mapped address is given as IPv4. Undefined if the connection is closed.
   */
  address: string | undefined;
  isGateway: boolean;
  isProxy: boolean;
};

export type TrustedPeers = {
  peerOf: (request: Pick<IncomingMessage, 'socket' | 'headers'>) => Peer;
  isTrusted: (address: string | undefined) => boolean;
};

/** Distinguishes trusted peers from others. Only the connection's peer is trusted, never a sender that it names. */
export function trustedPeers({ trustedProxies, trustedGateways }: TrustedPeerSettings): TrustedPeers {
  const isGateway = rangesCheck(trustedGateways);
  const isProxy = rangesCheck([...trustedProxies, ...trustedGateways]);

  /** Walks from the nearest sender to the first one that is not trusted: earlier senders may be invented. */
  function clientOf(peer: string | undefined, forwardedFor: string): string | undefined {
    let client = peer;
    for (const sender of forwardedFor.split(',').reverse()) {
      const address = parseAddress(withoutPort(sender.trim()));
      if (!address) return client; // such as `unknown`
      client = address.toString();
      if (!isProxy(address)) return client;
    }
    return client;
  }

  const senders = new WeakMap<object, Peer>(); // of the connections, whose peers do not change

  function senderOf(socket: Pick<Socket, 'remoteAddress'>): Peer {
    const known = senders.get(socket);
    if (known) return known;
    const address = parseAddress(socket.remoteAddress);
    const sender = { address: address?.toString(), isGateway: isGateway(address), isProxy: isProxy(address) };
    senders.set(socket, sender);
    return sender;
  }

  return {
    isTrusted: (address) => isProxy(parseAddress(address)),
    peerOf({ socket, headers }) {
      const sender = senderOf(socket);
      if (!sender.isProxy) return sender;
      const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join();
      return forwardedFor === '' ? sender : { ...sender, address: clientOf(sender.address, forwardedFor) };
    },
  };
}

/** Some proxies name the port too: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const withoutPort = (sender: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(sender)?.[1] ?? /^([\d.]+):\d+$/.exec(sender)?.[1] ?? sender;
