import { z } from 'zod';
import { AuthorizationRefused, SignInRefused } from '../../access/errors.js';
import type { OperatorSignIn } from '../../access/providers/operator-sign-in.js';
import { newAttempt, pendingCookies } from '../../access/providers/pending-sign-ins.js';
import type { AccountChoice, Provider } from '../../access/providers/provider.js';
import { type SealingKeys, sealedValues } from '../../access/providers/sealed-values.js';
import type { Context } from '../../http/context.js';

/** A sign-in whose user is at the provider. */
const begunSignIn = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string(), to: z.string() });

/** Sign-in of operators with an identity provider (OpenID Connect Core §3.1, with PKCE). */
export type ProviderSignIn = {
  /** URL for the browser; `to`: the requested page. Throws `ProviderUnavailable`. */
  begin: (ctx: Context, callback: string, to: string, choice?: AccountChoice) => Promise<URL>;
  endSessionUrl: Provider['endSessionUrl'];
  /**
   * The operator, and the requested page. Throws `AuthorizationRefused`, `ProviderUnavailable`, and `SignInRefused` for
   * a sign-in that this browser did not begin.
   */
  complete: (ctx: Context, callback: string) => Promise<{ operator: OperatorSignIn; to: string }>;
};

/** Long enough to sign in with a second factor. */
const lifetimeMs = 10 * 60_000;

export function providerSignIn(
  provider: Provider<OperatorSignIn>,
  { secure, ...keys }: SealingKeys & { secure: boolean },
): ProviderSignIn {
  const cookies = pendingCookies({ secure, lifetimeSeconds: lifetimeMs / 1_000, kind: 'console-sign-in' });
  const begun = sealedValues(keys, { purpose: 'begun-console-sign-in', schema: begunSignIn, lifetimeMs });
  return {
    endSessionUrl: provider.endSessionUrl,

    async begin(ctx, callback, to, choice) {
      const attempt = newAttempt(callback);
      const url = await provider.authorizationUrl(attempt, choice);
      const { state, nonce, codeVerifier } = attempt;
      cookies.set(ctx, state, await begun.seal({ state, nonce, codeVerifier, to }));
      return url;
    },

    async complete(ctx, callback) {
      const state = new URLSearchParams(ctx.querystring).get('state') ?? '';
      const signIn = await begun.open(cookies.get(ctx, state) ?? '');
      if (signIn?.state !== state) throw new SignInRefused('this sign-in has ended, or was begun in another browser');
      try {
        const operator = await provider.identify(new URL(`${callback}?${ctx.querystring}`), { callback, ...signIn });
        cookies.clear(ctx, state);
        return { operator, to: signIn.to };
      } catch (error) {
        if (error instanceof AuthorizationRefused) cookies.clear(ctx, state); // after other errors, a reload may succeed
        throw error;
      }
    },
  };
}
