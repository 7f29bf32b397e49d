import Router from '@koa/router';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { NotFound } from '../../http/errors.js';
import { serve } from '../../http/route-contract.js';
import { authorizationRoute } from './contract.js';

type SignInRoutesDependencies = { loginUrls: ByHost<string>; hostOf: (ctx: Context) => string };

/** `GET /oauth2`: redirects to the login page of the host, with the query unchanged. 404 if the host has none. */
export function signInRoutes({ loginUrls, hostOf }: SignInRoutesDependencies): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  serve(router, authorizationRoute, (ctx) => {
    const host = hostOf(ctx);
    const loginUrl = loginUrls(host);
    if (loginUrl === undefined) throw new NotFound(`no login page is configured for the host ${host}`);
    redirect(ctx, withQuery(loginUrl, rawQuery(ctx.req.url ?? '')));
  });
  return router;
}

/** Not ctx.redirect(), which would encode the URL again. A form gets 303: 307 would repeat it (RFC 9700 §4.12). */
export function redirect(ctx: Context, url: string): void {
  ctx.status = ctx.method === 'POST' ? 303 : 302;
  ctx.set('Location', url);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = '';
}

export type ByHost<Value> = (host: string) => Value | undefined;

/**
 * Looks up values by host, such as login URLs. Precedence: exact host with port, exact host, `*.example.com` (subdomains at any
 * depth, the longest pattern first), `*`. Ignores case.
 */
export function byHost<Value>(values: Readonly<Record<string, Value>>): ByHost<Value> {
  const exact = new Map<string, Value>();
  const below: { suffix: string; value: Value }[] = [];
  for (const [pattern, value] of Object.entries(values)) {
    const host = pattern.toLowerCase();
    if (host.startsWith('*.')) below.push({ suffix: host.slice(1), value });
    else exact.set(host, value);
  }
  below.sort((one, other) => other.suffix.length - one.suffix.length);

  return (requested) => {
    const host = requested.toLowerCase();
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '');
    const wildcard = () => below.find(({ suffix }) => host.endsWith(suffix) || name.endsWith(suffix))?.value;
    return exact.get(host) ?? exact.get(name) ?? wildcard() ?? exact.get('*');
  };
}

/** The query of a request's URL, byte for byte; empty if there is none. */
export const rawQuery = (url: string): string => {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
};

/** Inserts the query before the fragment; an empty query changes nothing. */
export function withQuery(url: string, query: string): string {
  if (query === '') return url;
  const hash = url.indexOf('#');
  const base = hash === -1 ? url : url.slice(0, hash);
  const fragment = hash === -1 ? '' : url.slice(hash);
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${query}${fragment}`;
}
