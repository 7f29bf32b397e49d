import * as openid from 'openid-client';
import type { IssuerFetch } from '../issuer-fetch.js';
import { discoveryMemory } from './discovery-memory.js';
import type { ProviderClient } from './provider-settings.js';

/** Configurations of the client for sign-ins, made from the provider's metadata. */
export type ProviderDiscovery = {
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
