import type { Context } from '../../http/context.js';
import { Forbidden } from '../../http/errors.js';

/**
 * Throws `Forbidden` unless the browser states that a page of this origin sent the request; pages cannot set either
 * header. `origin`: as browsers reach it.
 */
export function requireSameOrigin(ctx: Context, origin: string): void {
  const site = ctx.get('sec-fetch-site');
  const isSame = site === '' ? ctx.get('origin') === origin : site === 'same-origin';
  if (!isSame) throw new Forbidden('the form was not sent from a page of this service');
}
