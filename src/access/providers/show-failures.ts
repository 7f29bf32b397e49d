import type { Context } from '../../http/context.js';
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
    const isUnavailable = error instanceof ProviderUnavailable || error instanceof StoreUnavailable;
    if (!isUnavailable || ctx.accepts('json', 'html') !== 'html') throw error;
    ctx.state.log.error({ err: error }, 'sign-in failed');
    ctx.status = 503;
    ctx.set('Retry-After', String(retryAfterSeconds));
    const part = error instanceof ProviderUnavailable ? 'The identity provider' : 'The service';
    const text = `${part} cannot be reached now. Reload this page to try again.`;
    showPage(ctx, messagePage('Try again shortly', text), '');
  }
}
