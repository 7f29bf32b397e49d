import type { Context } from '../../http/context.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { showPage } from '../sign-in/page.js';
import { ProviderUnavailable, SignInRefused } from './errors.js';
import { messagePage } from './pages.js';

/** Browsers and users wait this long before they try again. */
const retryAfterSeconds = 5;

/** Shows users a page about a failure; callers who do not prefer HTML get the error as on all routes. */
export async function showFailures(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (ctx.accepts('json', 'html') !== 'html') throw error;
    if (error instanceof SignInRefused) {
      ctx.state.log.info({ detail: error.message }, 'sign-in refused');
      ctx.status = 400;
      showPage(ctx, messagePage('You cannot be signed in', error.message), '');
    } else if (error instanceof ProviderUnavailable || error instanceof StoreUnavailable) {
      ctx.state.log.error({ err: error }, 'sign-in failed');
      ctx.status = 503;
      ctx.set('Retry-After', String(retryAfterSeconds));
      const part = error instanceof ProviderUnavailable ? 'The identity provider' : 'The service';
      showPage(
        ctx,
        messagePage('Try again shortly', `${part} cannot be reached now. Reload this page to try again.`),
        '',
      );
    } else {
      throw error;
    }
  }
}
