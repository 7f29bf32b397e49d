import type { Context } from '../../http/context.js';
import type { RequestLimits } from '../../http/limits/request-limits.js';
import type { ClientAuthentication } from '../clients/client-authentication.js';
import { OAuthError } from '../oauth-errors.js';

export type LimitFailures = (ctx: Context, next: () => Promise<unknown>) => Promise<void>;

/**
 * Counts refused requests, by address and by client. Only above the limit the refusal becomes a 429; a valid request is answered in
 * any case. Only clients that have proved who they are have a count: any caller can name a client, and would change its answers.
 */
export const limitFailures =
  ({ failedTokenRequest }: Pick<RequestLimits, 'failedTokenRequest'>, clients: ClientAuthentication): LimitFailures =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof OAuthError) await failedTokenRequest(ctx, await provenClientId(ctx, clients));
      throw error;
    }
  };

async function provenClientId(ctx: Context, { check }: ClientAuthentication): Promise<string | undefined> {
  const checked = await check(ctx);
  return checked && 'client' in checked && checked.client.type === 'confidential' ? checked.client.clientId : undefined;
}
