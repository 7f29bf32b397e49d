import Router from '@koa/router';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { includesRole } from '../access/admin-keys.js';
import { type Context, causeOf, type RequestState, type Routes } from '../http/context.js';
import { beginFailure, NotFound } from '../http/errors.js';
import type { Caller } from './caller.js';
import { type Chrome, renderDocument } from './chrome.js';
import { failureView } from './failure-view.js';
import { fieldsOf } from './fields.js';
import { addresses, type PageRequest } from './page-request.js';
import type { LivePage, LiveParts, PageView, Redirect, Site, Subject } from './page-view.js';
import { setPageHeaders } from './security-headers.js';
import { requireSameOrigin } from './session/same-origin.js';

/** A set of pages below one path, for one kind of callers: the console of operators, the portal of a customer. */
export type SiteSettings = {
  /** The path below which the routes are, such as `/console`. */
  readonly base: string;
  /** The path of the service in its public URL, without a slash at the end: a proxy removes it from requests. */
  readonly publicPath: string;
  /** The origin of this service, as browsers reach it. */
  readonly originOf: (ctx: Context) => string;
  /** The caller whose session the request carries; undefined if it carries none. */
  readonly callerOf: (ctx: Context) => Promise<Caller | undefined>;
  /** Answers a request without a caller, such as with a redirect to the page for signing in. */
  readonly signIn: (ctx: Context) => Promise<void> | void;
  readonly chromeOf: (at: Pick<PageRequest, 'caller' | 'url'>) => Chrome;
  /** Sources of CSP that may embed the pages. */
  readonly frameAncestors: string;
  readonly subjects: readonly Subject[];
};

/** The routes of a site. */
export function siteRoutes(settings: SiteSettings): Routes {
  const { base, subjects, frameAncestors } = settings;
  const router: Routes = new Router<RequestState>({ prefix: base });
  const notices = new Map<string, string>();

  /** Runs a page for the caller, and shows it, or the error that it threw. */
  const answering = (run: (at: PageRequest) => Promise<PageView | Redirect>) => async (ctx: Context) => {
    setPageHeaders(ctx, frameAncestors);
    const caller = await settings.callerOf(ctx);
    if (!caller) return settings.signIn(ctx);
    const at = pageRequest(ctx, settings, caller);
    try {
      if (ctx.method === 'POST') requireFormOfThisSite(ctx, settings);
      const view = await run(at);
      if ('redirect' in view) redirect(ctx, view);
      else show(ctx, at, view);
    } catch (error) {
      const failure = beginFailure(ctx, error);
      show(ctx, at, failureView(at, { ...failure, requestId: ctx.state.requestId, backHref: backHref(ctx, settings) }));
    }
  };

  function show(ctx: Context, at: PageRequest, view: PageView): void {
    ctx.status = view.status ?? 200;
    ctx.type = 'html';
    ctx.body = renderDocument(settings.chromeOf(at), {
      ...view,
      notice: notices.get(at.query.text('notice') ?? ''),
      liveHref: view.live?.href,
    });
  }

  const site: Site = {
    get: (path, run) => router.get(path, answering(run)),
    post: (path, run) => router.post(path, answering(run)),
    live: (path, page) => (at) => liveParts(path, page, at),
    notices(texts) {
      for (const [code, text] of Object.entries(texts)) {
        if (notices.has(code)) throw new Error(`there are two notices ${code}`);
        notices.set(code, text);
      }
    },
  };
  for (const subject of subjects) subject(site);
  router.get(
    '/{*rest}',
    answering(async () => {
      throw new NotFound('there is no such page');
    }),
  );
  return router;
}

function pageRequest(ctx: Context, { base, publicPath }: SiteSettings, caller: Caller): PageRequest {
  const path = ctx.path.slice(base.length) || '/';
  const { params = {} } = ctx as { readonly params?: Readonly<Record<string, string>> };
  return {
    caller,
    params,
    query: fieldsOf(ctx.query),
    form: fieldsOf(ctx.method === 'POST' ? ctx.request.body : {}),
    cause: causeOf(ctx.state, caller.actor),
    now: new Date(),
    path,
    ...addresses(`${publicPath}${base}`, { path, query: ctx.query }),
    may: (role) => includesRole(caller.role, role),
  };
}

function requireFormOfThisSite(ctx: Context, { originOf }: SiteSettings): void {
  requireSameOrigin(ctx, originOf(ctx));
  if (ctx.state.bodyError) throw ctx.state.bodyError;
}

function redirect(ctx: Context, { redirect: location }: Redirect): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
}

/** The page from which the request came, if it is one of this site. */
function backHref(ctx: Context, { base, publicPath, originOf }: SiteSettings): string | undefined {
  const referrer = ctx.get('referer');
  if (!URL.canParse(referrer)) return undefined;
  const { origin, pathname, search } = new URL(referrer);
  const isOfSite = origin === originOf(ctx) && `${pathname}/`.startsWith(`${publicPath}${base}/`);
  return isOfSite && pathname !== `${publicPath}${ctx.path}` ? `${pathname}${search}` : undefined;
}

/** Parts are shared by viewers with different roles. */
const asViewer = (at: PageRequest): PageRequest => ({
  ...at,
  caller: { ...at.caller, role: 'viewer' },
  may: (role) => includesRole('viewer', role),
});

async function liveParts(path: string, page: LivePage, at: PageRequest): Promise<LiveParts> {
  const parts = await page.parts(asViewer(at));
  return {
    href: `${at.url(`/live${at.path}`)}${at.search}`,
    part(name): VNode {
      const content = parts[name];
      if (!content) throw new Error(`the page ${path} has no live part ${name}`);
      return (
        <div id={`live-${name}`} class="live-part">
          {content}
        </div>
      );
    },
  };
}

/** The HTML of live parts by the id of their element, as it is sent to viewers. */
export const renderParts = async (page: LivePage, at: PageRequest): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await page.parts(asViewer(at))).map(([name, content]) => [`live-${name}`, renderToString(content)]),
  );
