import type { Context } from '../http/context.js';

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
