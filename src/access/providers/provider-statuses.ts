import type { Provider } from './provider.js';

/** `name`: the issuer. `trouble`: the error because of which it could not be used the last time. */
export type ProviderStatus = { readonly name: string; readonly trouble: () => unknown };

/** Interval between attempts to reach a provider in trouble, while its state is asked for. */
const recheckMs = 10_000;

/** By issuer: several hosts may have clients of their own at one provider. */
export function providerStatuses(
  providers: readonly Pick<Provider<unknown>, 'issuer' | 'trouble' | 'check'>[],
): readonly ProviderStatus[] {
  const issuers = [...new Set(providers.map(({ issuer }) => issuer))];
  return issuers.map((name) => {
    const same = providers.filter(({ issuer }) => issuer === name);
    let checkedAtMs = performance.now();
    return {
      name,
      /** Between sign-ins, a provider in trouble is tried again when its state is asked for. */
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
