import type { Context } from '../../http/context.js';
import { TooManyRequests } from '../../http/errors.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { messagePage, showPage } from '../sign-in/page.js';
import { showRefusals } from '../sign-in/show-refusals.js';
import { ProviderUnavailable } from './errors.js';

/** Browsers and users wait this long before they try again. */
const retryAfterSeconds = 5;

/** Shows users a page about a failure; callers who do not prefer HTML get the error as on all routes. */
export async function showFailures(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  try {
    await showRefusals(ctx, next);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || ctx.accepts('json', 'html') !== 'html') throw error;
    ctx.state.log.error({ err: error }, 'sign-in failed');
    ctx.status = 503;
    ctx.set('Retry-After', String(retryAfterSeconds));
    showPage(ctx, messagePage('Try again shortly', `${reason} Reload this page to try again.`), '');
  }
}

/** Undefined for errors that users do not wait for. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ProviderUnavailable) return 'The identity provider cannot be reached now.';
  if (error instanceof StoreUnavailable) return 'The service cannot be reached now.';
  return error instanceof TooManyRequests ? 'Too many users sign in now.' : undefined;
}
