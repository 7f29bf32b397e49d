import type { Context } from '../../http/context.js';

/** The cookie with the session of the portal. */
export type PortalCookie = {
  get: (ctx: Context) => string | undefined;
  set: (ctx: Context, value: string, lifetimeMs: number) => void;
  clear: (ctx: Context) => void;
};

/**
 * `secure`: over https, sent in frames of other sites too, separately for each (`Partitioned`, CHIPS), so that browsers
 * without third-party cookies accept it; over http in frames of the same site only.
 */
export function portalCookie({ secure }: { secure: boolean }): PortalCookie {
  const name = secure ? '__Host-portal' : 'portal';
  const attributes = `Path=/; HttpOnly; ${secure ? 'Secure; SameSite=None; Partitioned' : 'SameSite=Lax'}`;
  const put = (ctx: Context, value: string, maxAgeSeconds: number) =>
    ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`);
  return {
    get(ctx) {
      const pair = ctx
        .get('cookie')
        .split(/; */)
        .find((each) => each.startsWith(`${name}=`));
      return pair?.slice(name.length + 1);
    },
    set: (ctx, value, lifetimeMs) => put(ctx, value, Math.floor(lifetimeMs / 1_000)),
    clear: (ctx) => put(ctx, '', 0),
  };
}
