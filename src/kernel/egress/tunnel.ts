import { request as requestOverTcp } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { Socket } from 'node:net';

/** `address`: of the target; undefined if only the proxy knows it. */
export type TunnelSocket = { socket: Socket; address: string | undefined };

/** The proxy could not be reached, or did not open a tunnel. The message has no credentials. */
class EgressProxyFailed extends Error {
  readonly code = 'EGRESS_PROXY';
}

/** A connection to `authority` (`host:port`) through the proxy. Fails with `EgressProxyFailed`. */
export function openTunnel(proxyUrl: string, authority: string, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, host, port, username, password } = new URL(proxyUrl);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const request = (protocol === 'https:' ? requestOverTls : requestOverTcp)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(username !== '' && { 'proxy-authorization': `Basic ${credentials}` }) },
    agent: false,
  });
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) =>
      reject(new EgressProxyFailed(`the egress proxy ${host} ${reason}`, { cause }));
    const timer = setTimeout(() => {
      fail(`opened no tunnel within ${timeoutMs} ms`);
      request.destroy();
    }, timeoutMs);
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      clearTimeout(timer);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return fail(`answered ${statusCode}`);
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket.setNoDelay(true));
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      fail(`failed: ${error.message}`, error);
    });
    request.end();
  });
}
