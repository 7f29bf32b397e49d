import type { Context } from '../../http/context.js';
import { SignInRefused } from './errors.js';
import { messagePage, showPage } from './page.js';

/** Shows users a page with status 400 if their sign-in is refused; callers who do not prefer HTML get the error as on all routes. */
export async function showRefusals(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof SignInRefused) || ctx.accepts('json', 'html') !== 'html') throw error;
    ctx.state.log.info({ detail: error.message }, 'sign-in refused');
    ctx.status = 400;
    showPage(ctx, messagePage('You cannot be signed in', error.message), '');
  }
}
