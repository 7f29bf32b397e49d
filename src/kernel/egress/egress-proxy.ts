import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { exceptionsOf } from './exceptions.js';
import type { EgressProxy } from './settings.js';
import { openTunnel, type TunnelSocket } from './tunnel.js';

type Connecting = {
  /** Connects without the proxy, and speaks TLS through a tunnel. */
  connect: buildConnector.connector;
  /** Judges the addresses too, where that is needed. */
  lookup: LookupFunction;
  timeoutMs: number;
};

/**
 * Connects through tunnels of the proxy (HTTP CONNECT, RFC 9110 §9.3.6), also for plain http. The proxy is asked for the first address
 * that `lookup` found; TLS is with the name. `remoteAddress` of a socket is this address. Fails with `EgressProxyFailed`.
 */
export function throughProxy(proxy: EgressProxy, { connect, lookup, timeoutMs }: Connecting): buildConnector.connector {
  const except = exceptionsOf(proxy.except);

  /** Opens the tunnel; `direct` names the host to which to connect without the proxy. */
  async function tunnelTo({
    hostname,
    protocol,
    port,
  }: buildConnector.Options): Promise<TunnelSocket | { direct: string }> {
    if (except.name(hostname)) return { direct: hostname };
    const isAddress = isIP(hostname) !== 0;
    const address = isAddress || proxy.resolvesNames ? undefined : await firstAddress(hostname, lookup);
    const target = address ?? hostname;
    if (except.address(target)) return { direct: target }; // looked up again, the name could have another address
    const authority = `${isIP(target) === 6 ? `[${target}]` : target}:${port || (protocol === 'https:' ? 443 : 80)}`;
    return {
      socket: await openTunnel(proxy.url, authority, timeoutMs),
      address: isIP(target) === 0 ? undefined : target,
    };
  }

  return (options, callback) => {
    tunnelTo(options).then(
      (tunnel) => {
        if ('direct' in tunnel) return connect({ ...options, hostname: tunnel.direct }, callback);
        const opened: buildConnector.Callback = (...result) => {
          // As without a proxy: for the log, and for the judgement of addresses without TLS.
          if (result[1]) Object.defineProperty(result[1], 'remoteAddress', { value: tunnel.address });
          callback(...result);
        };
        if (options.protocol === 'https:') return connect({ ...options, httpSocket: tunnel.socket }, opened);
        return opened(null, tunnel.socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

const firstAddress = (hostname: string, lookup: LookupFunction): Promise<string> =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: false }, (error, address) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
