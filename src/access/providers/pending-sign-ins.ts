import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Context } from '../../http/context.js';
import { AccountRefused, AuthorizationRefused } from '../errors.js';
import { identifiedUser } from './claims.js';
import { platformRequest } from './platform-request.js';
import type { SignInAttempt } from './provider.js';
import { type SealingKeys, sealedValues } from './sealed-values.js';

/** A sign-in whose user is at the provider. */
const begunSignIn = z.object({
  request: platformRequest,
  /** The provider. */
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
});

/** A sign-in whose user is back from the provider, and is asked something. */
const askedSignIn = z.object({
  request: platformRequest,
  state: z.string(),
  /** The cookie of the browser in which it was begun has this value too. */
  binding: z.string(),
});
/** One whose user is known. */
const identifiedSignIn = askedSignIn.extend({ user: identifiedUser });
/** One whose account was refused. */
const refusedSignIn = askedSignIn.extend({ reason: z.string() });

type BegunSignIn = z.output<typeof begunSignIn>;
export type AskedSignIn = z.output<typeof askedSignIn>;
export type IdentifiedSignIn = z.output<typeof identifiedSignIn>;
type RefusedSignIn = z.output<typeof refusedSignIn>;

/** Sign-ins in progress. Browsers carry them, encrypted: no instance remembers one. */
export type PendingSignIns = {
  /** Keeps it in a cookie. Throws `AuthorizationRefused` if it is too long. */
  readonly begin: (ctx: Context, signIn: BegunSignIn) => Promise<void>;
  /** The one that this browser began; undefined if there is none, it has expired, or its user is known already. */
  readonly findBegun: (ctx: Context, state: string) => Promise<BegunSignIn | undefined>;
  /**
   * The text that a form has to send back. Replaces the cookie by one that only proves that it is the same browser, so that the
   * provider's answer cannot be used again. Throws `AccountRefused` if the text is too long for a form.
   */
  readonly ask: (ctx: Context, signIn: IdentifiedSignIn) => Promise<string>;
  /** The same for a refused account. */
  readonly askForAnother: (ctx: Context, signIn: RefusedSignIn) => Promise<string>;
  /** The one of a form that this browser sent; undefined if there is none, or it has expired or ended. */
  readonly findIdentified: (ctx: Context, sealed: string) => Promise<IdentifiedSignIn | undefined>;
  readonly findRefused: (ctx: Context, sealed: string) => Promise<RefusedSignIn | undefined>;
  readonly end: (ctx: Context, state: string) => void;
};

/** Long enough to sign in with a second factor. */
const lifetimeMs = 10 * 60_000;
/** Below the maximum size of a form. */
const maxSealedLength = 48_000;

/** The values of a new attempt, 256 bits each. */
export function newAttempt(callback: string): SignInAttempt {
  const random = () => randomBytes(32).toString('base64url');
  return { callback, state: random(), nonce: random(), codeVerifier: random() };
}

export const newBinding = (): string => randomBytes(16).toString('base64url');

/** `secure`: whether browsers use https. */
export function pendingSignIns(keys: SealingKeys, { secure }: { readonly secure: boolean }): PendingSignIns {
  const cookies = pendingCookies({ secure, lifetimeSeconds: lifetimeMs / 1_000 });
  const begun = sealedValues(keys, { purpose: 'begun-sign-in', schema: begunSignIn, lifetimeMs });
  const identified = sealedValues(keys, { purpose: 'identified-sign-in', schema: identifiedSignIn, lifetimeMs });
  const refused = sealedValues(keys, { purpose: 'refused-sign-in', schema: refusedSignIn, lifetimeMs });

  /** Only if it is of this browser, and has not ended. */
  const ofBrowser = <SignIn extends AskedSignIn>(ctx: Context, signIn: SignIn | undefined): SignIn | undefined =>
    signIn && cookies.get(ctx, signIn.state) === signIn.binding ? signIn : undefined;

  return {
    async begin(ctx, signIn) {
      cookies.set(ctx, signIn.state, await begun.seal(signIn));
    },

    async findBegun(ctx, state) {
      const signIn = await begun.open(cookies.get(ctx, state) ?? '');
      return signIn?.state === state ? signIn : undefined;
    },

    async ask(ctx, signIn) {
      const sealed = await identified.seal(signIn);
      if (sealed.length > maxSealedLength) {
        throw new AccountRefused('the account belongs to too many organisations', signIn.user);
      }
      cookies.set(ctx, signIn.state, signIn.binding);
      return sealed;
    },

    async askForAnother(ctx, signIn) {
      cookies.set(ctx, signIn.state, signIn.binding);
      return refused.seal(signIn);
    },

    findIdentified: async (ctx, sealed) => ofBrowser(ctx, await identified.open(sealed)),
    findRefused: async (ctx, sealed) => ofBrowser(ctx, await refused.open(sealed)),

    end: cookies.clear,
  };
}

/** Sign-ins that a browser has begun: one cookie for each, named after its `state`, so that tabs do not disturb each other. */
type PendingCookies = {
  readonly get: (ctx: Context, state: string) => string | undefined;
  /** Throws `AuthorizationRefused` if browsers would not store it. */
  readonly set: (ctx: Context, state: string, value: string) => void;
  readonly clear: (ctx: Context, state: string) => void;
};

/** RFC 6265bis §5.6: browsers drop a cookie whose name and value are longer. */
const maxCookieBytes = 4_096;
/** Of all pending cookies: proxies refuse requests whose headers are longer than 8 KiB. The oldest ones are removed. */
const maxTotalBytes = 6_000;

/**
 * `secure`: whether browsers use https; then the name has the prefix `__Host-`, with which no other host can set the cookie.
 * `lifetimeSeconds`: `Max-Age`.
 */
export function pendingCookies({
  secure,
  lifetimeSeconds,
  kind = 'sign-in',
}: {
  readonly secure: boolean;
  readonly lifetimeSeconds: number;
  /** The name of the cookies before the `state`. */
  readonly kind?: string;
}): PendingCookies {
  const prefix = `${secure ? '__Host-' : ''}${kind}-`;
  const nameOf = (state: string) => `${prefix}${state.slice(0, 16)}`;
  // Lax: the provider's redirect is a navigation from another site.
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const put = (ctx: Context, name: string, value: string, maxAge: number) =>
    ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${maxAge}${attributes}`);

  /** In the order of the header: browsers send the oldest first (RFC 6265 §5.4). */
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
    get: (ctx, state) => cookiesOf(ctx).find(([name]) => name === nameOf(state))?.[1],

    set(ctx, state, value) {
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

    clear: (ctx, state) => put(ctx, nameOf(state), '', 0),
  };
}
