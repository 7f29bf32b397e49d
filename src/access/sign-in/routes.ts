import Router from '@koa/router';
import type { Context, RequestState, Routes } from '../../http/context.js';
import { NotFound } from '../../http/errors.js';
import type { ByHost } from './by-host.js';
import { rawQuery, withQuery } from './with-query.js';

export type SignInRoutesDependencies = {
  readonly loginUrls: ByHost<string>;
  /** The host that the caller requested, with the port if the request has one. */
  readonly hostOf: (ctx: Context) => string;
};

/** `GET /oauth2`: redirects to the login page of the host, with the query unchanged. 404 if the host has none. */
export function signInRoutes({ loginUrls, hostOf }: SignInRoutesDependencies): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  router.get('/oauth2', (ctx) => {
    const host = hostOf(ctx);
    const loginUrl = loginUrls(host);
    if (loginUrl === undefined) throw new NotFound(`no login page is configured for the host ${host}`);
    ctx.status = 302;
    // Not ctx.redirect(), which would encode the URL again.
    ctx.set('Location', withQuery(loginUrl, rawQuery(ctx.req.url ?? '')));
    ctx.set('Cache-Control', 'no-store');
  });
  return router;
}
