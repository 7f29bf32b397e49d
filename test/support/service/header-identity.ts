import type { Identity } from '../../../src/access/identity/caller.js';
import type { Context } from '../../../src/http/context.js';
import { Forbidden, Unauthenticated } from '../../../src/http/errors.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';

/** Believes the headers, except beside a Bearer that is `unknown` or `foreign`. A publisher without `orgid` may publish for any organisation. */
export const headerIdentity: Identity = {
  member: async (ctx) => ({ ...organisation(ctx), userId: required(ctx, 'userid') }),
  organisation: async (ctx) => organisation(ctx),
  organisationIfAccepted: async (ctx) =>
    ctx.get('orgid') === '' || ctx.get('authorization') === 'Bearer unknown' ? undefined : organisation(ctx),
  publisher: async (ctx) => (ctx.get('orgid') ? organisation(ctx) : { orgId: undefined, actor: 'admin:test' }),
  requireBearer: async (ctx) => ({ ...organisation(ctx), userId: null, role: null, scopes: [] }),
  administrator: async () => ({ actor: 'admin:test', role: 'owner' }),
};

function organisation(ctx: Context) {
  if (ctx.get('authorization') === 'Bearer unknown') throw new Unauthenticated('this token is not known');
  if (ctx.get('authorization') === 'Bearer foreign') throw new Forbidden('this token is for another organisation');
  return { orgId: required(ctx, 'orgid'), actor: `user:${ctx.get('userid')}` };
}

function required(ctx: Context, name: string): string {
  const value = ctx.get(name);
  if (value === '') throw new InvalidRequest(`the header ${name} is required`);
  return value;
}
