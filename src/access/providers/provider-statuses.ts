import type { Provider } from './provider.js';

/** `name`: the issuer. `failure`: the last error. */
export type ProviderStatus = { name: string; failure: () => unknown };

const recheckMs = 10_000;

/** Several hosts may have their own clients at one issuer. */
export function providerStatuses(
  providers: readonly Pick<Provider<unknown>, 'issuer' | 'failure' | 'check'>[],
): readonly ProviderStatus[] {
  const issuers = [...new Set(providers.map(({ issuer }) => issuer))];
  return issuers.map((name) => {
    const same = providers.filter(({ issuer }) => issuer === name);
    let checkedAtMs = performance.now();
    return {
      name,
      /** Retries a failed provider when its status is read, as there may be no sign-ins. */
      failure() {
        const failing = same.filter((provider) => provider.failure() !== undefined);
        if (failing.length > 0 && performance.now() - checkedAtMs >= recheckMs) {
          checkedAtMs = performance.now();
          for (const provider of failing) void provider.check();
        }
        return failing[0]?.failure();
      },
    };
  });
}
