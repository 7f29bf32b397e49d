import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import * as openid from 'openid-client';
import type { IssuerFetch } from '../issuer-fetch.js';
import { clockToleranceSeconds } from '../keys/key-set.js';
import type { ProviderClient } from './provider-settings.js';

type ProviderDiscovery = {
  /**
   * Configuration for one sign-in: metadata from memory, keys fetched anew, so that a key rotation is in force at once. Rejects if the
   * provider does not answer as one.
   */
  configuration: () => Promise<openid.Configuration>;
  forget: () => void;
};

const timeoutSeconds = 10;
/** Equal to the waiting time on the page about the failure. */
const failureMemoryMs = 5_000;

/**
 * Sign-ins that wait share one metadata request; after a failure, sign-ins are refused at once for `failureMemoryMs`.
 * Otherwise anonymous requests could accumulate for a provider that does not answer.
 */
export function providerDiscovery(
  { issuer, clientId, clientAuthentication }: ProviderClient,
  clientSecret: string,
  { fetch, monotonicMs = () => performance.now() }: { fetch: IssuerFetch; monotonicMs?: () => number },
): ProviderDiscovery {
  const memory = discoveryMemory(fetch, monotonicMs);
  const authentication =
    clientAuthentication === 'client_secret_basic'
      ? openid.ClientSecretBasic(clientSecret)
      : openid.ClientSecretPost(clientSecret);
  let underWay: Promise<unknown> | undefined;
  let failed: { error: unknown; atMs: number } | undefined;

  async function discover(): Promise<openid.Configuration> {
    const configured = await openid.discovery(
      new URL(issuer),
      clientId,
      { client_secret: clientSecret, [openid.clockTolerance]: clockToleranceSeconds },
      authentication,
      {
        [openid.customFetch]: memory.fetch,
        timeout: timeoutSeconds,
        execute: [
          openid.enableNonRepudiationChecks, // verifies signatures of ID tokens, and does not rely on TLS alone
          ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
    memory.keep();
    return configured;
  }

  async function readMetadata(): Promise<void> {
    try {
      await discover();
      failed = undefined;
    } catch (error) {
      memory.forget();
      failed = { error, atMs: monotonicMs() };
      throw error;
    } finally {
      underWay = undefined;
    }
  }

  return {
    async configuration() {
      if (!memory.isKept()) {
        if (failed && monotonicMs() - failed.atMs < failureMemoryMs) throw failed.error;
        underWay ??= readMetadata();
        await underWay;
      }
      return discover(); // from memory
    },
    forget: memory.forget,
  };
}

type DiscoveryMemory = {
  fetch: CustomFetch;
  keep: () => void;
  isKept: () => boolean;
  forget: () => void;
};

/** The metadata of a provider changes rarely: endpoints move with a notice of weeks. */
const memoryMs = 5 * 60_000;

/** Keeps accepted metadata (OpenID Connect Discovery §4). */
export function discoveryMemory(
  fetch: IssuerFetch,
  monotonicMs: () => number = () => performance.now(),
): DiscoveryMemory {
  let fetched: { body: string; atMs: number } | undefined;
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

/** Failures become a TypeError, as in the standard's fetch: openid-client leaves these unchanged. */
async function reach(fetch: IssuerFetch, url: string, options: CustomFetchOptions): Promise<Response> {
  try {
    const { method, headers, body, signal } = options;
    // The DOM's types, included by preact, do not accept bytes in shared memory; Node does.
    return await fetch(url, { method, headers, body: (body ?? null) as BodyInit | null, signal: signal ?? null });
  } catch (error) {
    throw new TypeError(`no answer from ${new URL(url).origin}`, { cause: error });
  }
}
