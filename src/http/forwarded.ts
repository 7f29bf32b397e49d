import type { Context } from './context.js';

/** The client's address, for limits and logs. Undefined if the connection is closed. */
export const addressOf = ({ state }: Pick<Context, 'state'>): string | undefined => state.peer.address;

/** The host that the caller requested: `X-Forwarded-Host` if a trusted peer sent it, else `Host`. */
export function requestedHost(ctx: Context): string {
  const forwarded = ctx.get('x-forwarded-host').split(',')[0]?.trim();
  return forwarded && ctx.state.peer.isProxy ? forwarded : ctx.host;
}
