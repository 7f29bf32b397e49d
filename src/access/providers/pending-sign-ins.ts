import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../http/context.js';
import { AccountRefused, AuthorizationRefused } from '../errors.js';
import { platformRequest } from '../sign-in/platform-request.js';
import { identifiedUser } from './claims.js';
import type { SignInAttempt } from './provider.js';
import { type SealingKeys, sealedValues } from './sealed-values.js';

/** The user is at the provider. */
const begunSignIn = z.object({
  request: platformRequest,
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
});

/** The user is back from the provider, and answers a form. */
const askedSignIn = z.object({
  request: platformRequest,
  state: z.string(),
  /** Equal to the cookie of the browser that began the sign-in. */
  binding: z.string(),
});
const identifiedSignIn = askedSignIn.extend({ user: identifiedUser });
const refusedSignIn = askedSignIn.extend({ reason: z.string() });

type BegunSignIn = z.output<typeof begunSignIn>;
export type AskedSignIn = z.output<typeof askedSignIn>;
export type IdentifiedSignIn = z.output<typeof identifiedSignIn>;
type RefusedSignIn = z.output<typeof refusedSignIn>;

const lifetimeMs = 10 * 60_000;
/** Limit below the maximum size of a form. */
const maxSealedLength = 48_000;

export function newAttempt(callback: string): SignInAttempt {
  const random = () => randomBytes(32).toString('base64url');
  return { callback, state: random(), nonce: random(), codeVerifier: random() };
}

export const newBinding = (): string => randomBytes(16).toString('base64url');

export type PendingSignIns = ReturnType<typeof pendingSignIns>;

/** Sign-ins in progress, encrypted in browsers: instances store none. */
export function pendingSignIns(keys: SealingKeys, { secure }: { secure: boolean }) {
  const cookies = pendingCookies({ secure, lifetimeSeconds: lifetimeMs / 1_000 });
  const begun = sealedValues(keys, { purpose: 'begun-sign-in', schema: begunSignIn, lifetimeMs });
  const identified = sealedValues(keys, { purpose: 'identified-sign-in', schema: identifiedSignIn, lifetimeMs });
  const refused = sealedValues(keys, { purpose: 'refused-sign-in', schema: refusedSignIn, lifetimeMs });

  /** Only if it belongs to this browser, and has not ended. */
  const ofBrowser = <SignIn extends AskedSignIn>(ctx: Context, signIn: SignIn | undefined): SignIn | undefined =>
    signIn && cookies.get(ctx, signIn.state) === signIn.binding ? signIn : undefined;

  return {
    /** Sets a cookie. Throws `AuthorizationRefused` if it is too long. */
    async begin(ctx: Context, signIn: BegunSignIn): Promise<void> {
      cookies.set(ctx, signIn.state, await begun.seal(signIn));
    },

    /** Undefined if this browser began none with this state, it has expired, or its user is identified. */
    async findBegun(ctx: Context, state: string): Promise<BegunSignIn | undefined> {
      const signIn = await begun.open(cookies.get(ctx, state) ?? '');
      return signIn?.state === state ? signIn : undefined;
    },

    /**
     * Returns the text that the form sends back. Replaces the cookie by one that only identifies the browser, so that
     * the provider's answer cannot be used again. Throws `AccountRefused` if the text is too long for a form.
     */
    async ask(ctx: Context, signIn: IdentifiedSignIn): Promise<string> {
      const sealed = await identified.seal(signIn);
      if (sealed.length > maxSealedLength) {
        throw new AccountRefused('the account belongs to too many organisations', signIn.user);
      }
      cookies.set(ctx, signIn.state, signIn.binding);
      return sealed;
    },

    async askForAnother(ctx: Context, signIn: RefusedSignIn): Promise<string> {
      cookies.set(ctx, signIn.state, signIn.binding);
      return refused.seal(signIn);
    },

    findIdentified: async (ctx: Context, sealed: string) => ofBrowser(ctx, await identified.open(sealed)),
    findRefused: async (ctx: Context, sealed: string) => ofBrowser(ctx, await refused.open(sealed)),

    end: cookies.clear,
  };
}

/** Name and value (RFC 6265bis §5.6). */
const maxCookieBytes = 4_096;
/** Limit of all pending cookies: proxies refuse headers of more than 8 KiB. The oldest are removed. */
const maxTotalBytes = 6_000;

/**
 * One cookie for each sign-in, named after its `state`, so that tabs do not interfere. With `secure` the name has the
 * prefix `__Host-`, with which no other host can set the cookie.
 */
export function pendingCookies({
  secure,
  lifetimeSeconds,
  kind = 'sign-in',
}: {
  secure: boolean;
  lifetimeSeconds: number;
  /** Prefix of the name, before the `state`. */
  kind?: string;
}) {
  const prefix = `${secure ? '__Host-' : ''}${kind}-`;
  const nameOf = (state: string) => `${prefix}${state.slice(0, 16)}`;
  // Lax: the provider's redirect is a navigation from another site.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const put = (ctx: Context, name: string, value: string, maxAge: number) =>
    ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${maxAge}${attributes}`);

  /** Lists the cookies in the order of the header: browsers send the oldest first (RFC 6265 §5.4). */
  function cookiesOf(ctx: Context): readonly (readonly [name: string, value: string])[] {
    return ctx
      .get('cookie')
      .split(/; */)
      .map((pair) => {
        const equals = pair.indexOf('=');
        return [pair.slice(0, Math.max(equals, 0)), pair.slice(equals + 1)] as const;
      })
      .filter(([name]) => name.startsWith(prefix));
  }

  return {
    get: (ctx: Context, state: string): string | undefined =>
      cookiesOf(ctx).find(([name]) => name === nameOf(state))?.[1],

    /** Throws `AuthorizationRefused` if it exceeds the limit of browsers. */
    set(ctx: Context, state: string, value: string): void {
      const name = nameOf(state);
      if (name.length + value.length > maxCookieBytes) {
        throw new AuthorizationRefused('invalid_request', 'the state and the redirect_uri are too long');
      }
      const others = cookiesOf(ctx).filter(([other]) => other !== name);
      let total = name.length + value.length;
      for (const [other, carried] of others.toReversed()) {
        total += other.length + carried.length;
        if (total > maxTotalBytes) put(ctx, other, '', 0);
      }
      put(ctx, name, value, lifetimeSeconds);
    },

    clear: (ctx: Context, state: string) => put(ctx, nameOf(state), '', 0),
  };
}
