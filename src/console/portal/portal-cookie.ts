import type { Context } from '../../http/context.js';

/** The cookie with the session of the portal. */
export type PortalCookie = {
  readonly get: (ctx: Context) => string | undefined;
  readonly set: (ctx: Context, value: string, lifetimeMs: number) => void;
  readonly clear: (ctx: Context) => void;
};

/**
 * `secure`: whether browsers use https. Then the cookie is sent in a frame of another site too, and kept apart for each of these sites
 * (`Partitioned`, CHIPS), so that browsers without third-party cookies accept it. Over http (development) browsers send it in frames
 * of the same site only, such as another port of localhost.
 */
export function portalCookie({ secure }: { readonly secure: boolean }): PortalCookie {
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
