import type { Context } from '../http/context.js';
import { Forbidden } from '../http/errors.js';

/**
 * Nothing is loaded from elsewhere, no inline script or style runs, nothing is cached. `frameAncestors`: CSP sources
 * that may embed the page.
 */
export function setPageHeaders(ctx: Context, frameAncestors: string): void {
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      `form-action 'self'; base-uri 'none'; frame-ancestors ${frameAncestors}`,
  );
  if (frameAncestors === "'none'") ctx.set('X-Frame-Options', 'DENY'); // for browsers that do not know `frame-ancestors`
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'same-origin'); // not `no-referrer`, with which browsers send forms with `Origin: null`
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
}

/**
 * Throws `Forbidden` unless the browser states that a page of this origin sent the request; pages cannot set either
 * header. `origin`: as browsers reach it.
 */
export function requireSameOrigin(ctx: Context, origin: string): void {
  const site = ctx.get('sec-fetch-site');
  const isSame = site === '' ? ctx.get('origin') === origin : site === 'same-origin';
  if (!isSame) throw new Forbidden('the form was not sent from a page of this service');
}
