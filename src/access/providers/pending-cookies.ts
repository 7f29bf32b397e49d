import type { Context } from '../../http/context.js';
import { AuthorizationRefused } from './errors.js';

/** Sign-ins that a browser has begun: one cookie for each, named after its `state`, so that tabs do not disturb each other. */
export type PendingCookies = {
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
