import type { Context } from '../../http/context.js';
import type { RequestLimits } from '../../http/limits/request-limits.js';
import { OAuthError } from '../oauth-errors.js';
import { claimedClientId } from './token-request.js';

/** Counts refused requests. Only above the limit the refusal becomes a 429; a valid request is answered in any case. */
export const limitFailures =
  ({ failedTokenRequest }: Pick<RequestLimits, 'failedTokenRequest'>) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    try {
      await next();
    } catch (error) {
      if (error instanceof OAuthError) await failedTokenRequest(ctx, claimedClientId(ctx));
      throw error;
    }
  };
