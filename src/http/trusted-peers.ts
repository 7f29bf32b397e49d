import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { parseAddress, rangesCheck } from './peer-address.js';

/** CIDR ranges of the peers that are trusted. */
export type TrustedPeerSettings = {
  /** Their `X-Forwarded-Host`, `X-Forwarded-For` and `X-Request-Id` are believed. */
  readonly trustedProxies: readonly string[];
  /** Their identity headers are believed too. */
  readonly trustedGateways: readonly string[];
};

/** The sender of a request. */
export type Peer = {
  /**
   * The address of the client: of the connection's peer, or of the last sender that is not trusted in the `X-Forwarded-For` of a
   * trusted one. An IPv4-mapped address is given as IPv4. Undefined if the connection is closed.
   */
  readonly address: string | undefined;
  /** Whether the connection's peer is a trusted gateway, whose identity headers count. */
  readonly isGateway: boolean;
  /** Whether the connection's peer is a trusted proxy or gateway, whose other headers count. */
  readonly isProxy: boolean;
};

export type TrustedPeers = {
  readonly peerOf: (request: Pick<IncomingMessage, 'socket' | 'headers'>) => Peer;
  /** Whether this is the address of a trusted proxy or gateway. */
  readonly isTrusted: (address: string | undefined) => boolean;
};

/** Distinguishes trusted peers from others. Only the connection's peer is trusted, never a sender that it names. */
export function trustedPeers({ trustedProxies, trustedGateways }: TrustedPeerSettings): TrustedPeers {
  const isGateway = rangesCheck(trustedGateways);
  const isProxy = rangesCheck([...trustedProxies, ...trustedGateways]);

  /** Walks from the nearest sender to the first one that is not trusted: what is before that may be invented. */
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
