import { lookup } from 'node:dns';
import ipaddr from 'ipaddr.js';
import type * as Undici from 'undici';
import { throughProxy } from '../kernel/egress/egress-proxy.js';
import type { EgressProxy } from '../kernel/egress/settings.js';

/** The part of `fetch` that libraries for issuers need. */
export type IssuerFetch = (
  url: string,
  options: Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal'>,
) => Promise<Response>;

export type IssuerFetchOptions = {
  plainHttpTo: (address: string) => boolean;
  egress?: EgressProxy;
  /** Connects instead, and judges the addresses. */
  openConnector?: () => Promise<Undici.buildConnector.connector>;
  /** Limit from name resolution to the end of the answer. */
  timeoutMs?: number;
  /** Limit after decompression. Key sets and discovery documents have a few kilobytes. */
  maxBytes?: number;
};

const localNetwork = new Set(['loopback', 'private', 'uniqueLocal']);

/** Loopback, private (RFC 1918) and unique local (RFC 4193) addresses, also IPv4-mapped. */
export const isInLocalNetwork = (address: string): boolean =>
  ipaddr.isValid(address) && localNetwork.has(ipaddr.process(address).range());

/**
 * Requests to login pages, issuers and identity providers, whose addresses operators name, so that private networks are
 * permitted. `plainHttpTo` judges the address of each connection without TLS, over which keys could be replaced, before
 * anything is sent. Redirects are not followed.
 */
export function issuerFetch({ timeoutMs = 5_000, maxBytes = 1_048_576, ...options }: IssuerFetchOptions): IssuerFetch {
  let opened: ReturnType<typeof openClient> | undefined;
  return async (url, { method = 'GET', headers, body, signal }) => {
    if (!/^https?:/i.test(url)) throw new TypeError('an issuer has http and https URLs only');
    opened ??= openClient({ ...options, timeoutMs });
    const { fetch, dispatcher } = await opened;
    const deadline = AbortSignal.timeout(timeoutMs);
    const { status, statusText, ...answer } = await inOnePiece(
      await fetch(url, {
        method,
        headers: [...new Headers(headers)],
        body: (body ?? null) as Undici.BodyInit | null, // Node's own types of the same values
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        dispatcher,
      }),
      maxBytes,
    );
    return new Response(answer.body, { status, statusText, headers: answer.headers });
  };
}

/** Loaded at the first request, to save memory. */
async function openClient({
  plainHttpTo,
  egress,
  openConnector,
  timeoutMs,
}: Omit<IssuerFetchOptions, 'maxBytes'> & { timeoutMs: number }) {
  const { Agent, buildConnector, fetch } = await import('undici');
  const direct = (await openConnector?.()) ?? buildConnector({ timeout: timeoutMs, allowH2: false });
  const connect = egress ? throughProxy(egress, { connect: direct, lookup, timeoutMs }) : direct;
  const dispatcher = new Agent({
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error) callback(error, null);
        else if (options.protocol === 'https:' || plainHttpTo(socket.remoteAddress ?? '')) callback(null, socket);
        else {
          socket.destroy();
          callback(new Error('http is allowed on loopback and private addresses only: use https'), null);
        }
      });
    },
  });
  return { fetch, dispatcher };
}

async function inOnePiece(
  { status, statusText, headers, body }: Awaited<ReturnType<typeof Undici.fetch>>,
  maxBytes: number,
): Promise<{ status: number; statusText: string; headers: [string, string][]; body: Buffer<ArrayBuffer> | null }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  // `Response` throws for a body with a status such as 204.
  return { status, statusText, headers: [...headers], body: bytes === 0 ? null : Buffer.concat(chunks) };
}
