import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import * as openid from 'openid-client';
import type { IssuerFetch } from '../issuer-fetch.js';
import type { ProviderClient } from './provider-settings.js';

/** Configurations of the client for sign-ins, made from the provider's metadata. */
type ProviderDiscovery = {
  /**
   * A configuration for one sign-in: the metadata comes from memory, and the keys are fetched anew, so that a rotation of the
   * provider's keys is in force at once. Rejects if the provider does not answer as one.
   */
  readonly configuration: () => Promise<openid.Configuration>;
  /** Reads the metadata anew for the next sign-in. */
  readonly forget: () => void;
};

/** Users wait for the answer. */
const timeoutSeconds = 10;
/** The clocks of the provider and of this service may differ. */
const clockToleranceSeconds = 60;
/** As long as the page of the failure asks users to wait. */
const failureMemoryMs = 5_000;

/**
 * One request for the metadata at a time, whose result all sign-ins that wait share; after a failure, sign-ins are refused at once for
 * some seconds. Otherwise anonymous requests could wait in any number for a provider that does not answer.
 */
export function providerDiscovery(
  { issuer, clientId, clientAuthentication }: ProviderClient,
  clientSecret: string,
  {
    fetch,
    monotonicMs = () => performance.now(),
  }: { readonly fetch: IssuerFetch; readonly monotonicMs?: () => number },
): ProviderDiscovery {
  const memory = discoveryMemory(fetch, monotonicMs);
  const authentication =
    clientAuthentication === 'client_secret_basic'
      ? openid.ClientSecretBasic(clientSecret)
      : openid.ClientSecretPost(clientSecret);
  let underWay: Promise<unknown> | undefined;
  let failed: { readonly error: unknown; readonly atMs: number } | undefined;

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
