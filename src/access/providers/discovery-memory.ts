import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import type { IssuerFetch } from '../issuer-fetch.js';

export type DiscoveryMemory = {
  /** Answers requests for the metadata from memory, if it was kept less than five minutes ago. */
  readonly fetch: CustomFetch;
  /** The metadata that was last fetched is valid. */
  readonly keep: () => void;
  /** Whether requests for the metadata are answered from memory now. */
  readonly isKept: () => boolean;
  readonly forget: () => void;
};

/** The metadata of a provider changes rarely: endpoints move with a notice of weeks. */
const memoryMs = 5 * 60_000;

/** Keeps the metadata of a provider (OpenID Connect Discovery §4), once the client has accepted it. */
export function discoveryMemory(
  fetch: IssuerFetch,
  monotonicMs: () => number = () => performance.now(),
): DiscoveryMemory {
  let fetched: { readonly body: string; readonly atMs: number } | undefined;
  let kept: typeof fetched;
  const current = () => (kept && monotonicMs() - kept.atMs < memoryMs ? kept : undefined);
  return {
    isKept: () => current() !== undefined,
    async fetch(url, options) {
      if (!url.endsWith('/.well-known/openid-configuration')) return reach(fetch, url, options);
      const known = current();
      if (known) return jsonOf(known.body);
      const response = await reach(fetch, url, options);
      if (response.status !== 200) return response;
      fetched = { body: await response.text(), atMs: monotonicMs() };
      return jsonOf(fetched.body);
    },
    keep() {
      kept = fetched;
    },
    forget() {
      fetched = undefined;
      kept = undefined;
    },
  };
}

const jsonOf = (body: string): Response => new Response(body, { headers: { 'content-type': 'application/json' } });

/** Any failure to get an answer is a TypeError, as those of the standard's fetch: its client leaves these unchanged. */
async function reach(fetch: IssuerFetch, url: string, options: CustomFetchOptions): Promise<Response> {
  try {
    const { method, headers, body, signal } = options;
    // The types of the DOM, which preact's types include, do not accept bytes in shared memory. Node does.
    return await fetch(url, { method, headers, body: (body ?? null) as BodyInit | null, signal: signal ?? null });
  } catch (error) {
    throw new TypeError(`no answer from ${new URL(url).origin}`, { cause: error });
  }
}
