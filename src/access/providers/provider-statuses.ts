import type { Provider } from './provider.js';

/** `name`: the issuer. `trouble`: the last error. */
export type ProviderStatus = { name: string; trouble: () => unknown };

const recheckMs = 10_000;

/** Several hosts may have their own clients at one issuer. */
export function providerStatuses(
  providers: readonly Pick<Provider<unknown>, 'issuer' | 'trouble' | 'check'>[],
): readonly ProviderStatus[] {
  const issuers = [...new Set(providers.map(({ issuer }) => issuer))];
  return issuers.map((name) => {
    const same = providers.filter(({ issuer }) => issuer === name);
    let checkedAtMs = performance.now();
    return {
      name,
      /** Between sign-ins, a failed provider is retried when its status is read. */
      trouble() {
        const inTrouble = same.filter((provider) => provider.trouble() !== undefined);
        if (inTrouble.length > 0 && performance.now() - checkedAtMs >= recheckMs) {
          checkedAtMs = performance.now();
          for (const provider of inTrouble) void provider.check();
        }
        return inTrouble[0]?.trouble();
      },
    };
  });
}
