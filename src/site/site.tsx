import Router from '@koa/router';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { AnyAdminRoute } from '../admin/api/routing/admin-route.js';
import { beginNothingForHead, type Context, goneSignal, type RequestState, type Routes } from '../http/context.js';
import { beginFailure, Forbidden, NotFound, Unauthenticated } from '../http/errors.js';
import { organisationShare } from '../http/limits/organisation-share.js';
import { type Chrome, renderDocument } from './chrome.js';
import type { ExampleCommands } from './example-commands.js';
import { failureView } from './failure-view.js';
import type { LiveViewers } from './live/live-viewers.js';
import { liveAnswer, liveParts } from './live-page.js';
import { entryAbove } from './navigation.js';
import { PageContext } from './page-context.js';
import { type Caller, type PageRequest, pageRequest } from './page-request.js';
import { requireSameOrigin, setPageHeaders } from './page-security.js';
import type { Act, Download, NoticeText, PageView, Redirect, Show, Site, Subject } from './page-view.js';
import { sentOnce } from './sent-once.js';

/** `until`: end of the session; undefined: none. `isOpen`: false once it has been ended early. */
type SiteSession = {
  caller: Caller;
  until?: Date;
  isOpen?: () => Promise<boolean>;
};

export type SitePlace = {
  /** Path such as `/console`. */
  base: string;
  /** The service's public path, without a slash at the end: a proxy removes it from requests. */
  publicPath: string;
  originOf: (ctx: Context) => string;
};

/** Pages below one path for one kind of callers: the operators' console, a customer's portal. */
export type SiteSettings = SitePlace & {
  /** The path of the routes of platforms, `HOOKS_PREFIX`. */
  hooksPrefix: string;
  /** `address`: the public URL of the service. */
  commandsAt: (address: string) => ExampleCommands;
  /** Undefined: none, or ended. */
  sessionOf: (ctx: Context) => Promise<SiteSession | undefined>;
  /** Answers a page's request without a session, such as by a redirect to the sign-in. */
  signIn: (ctx: Context) => Promise<void> | void;
  api: Pick<AdminApi, 'call'>;
  live: LiveViewers;
  chromeOf: (at: Pick<PageRequest, 'caller' | 'url'>) => Chrome;
  /** Sources of CSP that may embed the pages. */
  frameAncestors: string;
  subjects: readonly Subject[];
};

/** Limit for each organisation: the searches of one must not take the slots of others. */
const maxInProgress = 20;
const tooManyPages = 'too many pages are being opened at once; try again shortly';

export function siteRoutes(settings: SiteSettings): Routes {
  const { base, subjects, live } = settings;
  const router: Routes = new Router<RequestState>({ sensitive: true, prefix: base });
  const notices = new Map<string, NoticeText>();
  const ofOrganisation = organisationShare(maxInProgress, tooManyPages);

  const once = sentOnce<Awaited<ReturnType<Act>>>();

  /** Pages by path. */
  const pages = new Map<string, Show>();

  /** Shows the page, or the error that it threw: on the page `on` if it is of a form there. */
  const answering = (run: Act, on?: string) => async (ctx: Context) => {
    setPageHeaders(ctx, settings.frameAncestors);
    const session = await settings.sessionOf(ctx);
    if (!session) return settings.signIn(ctx);
    const at = requestOf(ctx, settings, session);
    try {
      if (ctx.method === 'POST') requireFormOfThisSite(ctx, settings);
      const view = await ofOrganisation(session.caller.orgId, () => run(at));
      if ('redirect' in view) redirect(ctx, view);
      else if ('download' in view) send(ctx, view);
      else show(ctx, at, view);
    } catch (error) {
      const failure = beginFailure(ctx, error);
      if (ctx.get('hx-request') !== '') showWholePage(ctx);
      const form = refusals.includes(failure.status) && on !== undefined ? pages.get(on) : undefined;
      if (form && on !== undefined) {
        const again = at.refused(pathOf(on, at.params), failure.message);
        return show(ctx, again, { ...(await form(again)), status: failure.status });
      }
      const shown = { ...failure, requestId: ctx.state.requestId, backHref: backHref(ctx, settings) };
      show(ctx, at, failureView(at, shown));
    }
  };

  function show(ctx: Context, at: PageRequest, view: PageView): void {
    ctx.status = view.status ?? 200;
    ctx.type = 'html';
    const chrome = settings.chromeOf(at);
    ctx.body = renderDocument(chrome, {
      ...placeIn(chrome, at.path, view),
      ...view,
      ...inPage(at, view),
      notice: noticeText(notices, at.query.text('notice')),
    });
  }

  const site: Site = {
    get(path, run) {
      pages.set(path, run);
      router.get(path, answering(run));
    },
    form(path, { access }, run) {
      site.get(path, async (at) => {
        if (!at.may(access.role, access.action))
          throw new Forbidden(`you may not send the form of this page: ${whyNot(at, access)}`);
        return run(at);
      });
    },
    download: (path, run) => router.get(path, answering(run)),
    post: (path, run, on = path) =>
      router.post(
        path,
        answering((at) => once(at, run), on),
      ),
    live(path, page) {
      router.get(`/live${path}`, beginNothingForHead, async (ctx) => {
        ctx.set('Cache-Control', 'no-store');
        const session = await settings.sessionOf(ctx);
        if (!session) throw new Unauthenticated('the session has ended', 'missing');
        const source = { ...requestSource(ctx, settings), path: ctx.path.slice(`${base}/live`.length) || '/' };
        const at = pageRequest(placeOf(settings), source, session.caller);
        const viewer = { at, until: session.until, isOpen: session.isOpen };
        await ofOrganisation(session.caller.orgId, () => liveAnswer(ctx, live, page, viewer));
      });
      return (at) => liveParts(page, at);
    },
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

/** Statuses of answers to a form that may be changed and sent again. */
const refusals: readonly number[] = [400, 409, 413, 429];

const whyNot = (at: PageRequest, { role }: AnyAdminRoute['access']): string =>
  at.may(role) ? 'it is not permitted in this portal' : `it needs the role ${role}`;

/** Undefined where there is no such notice. */
function noticeText(notices: ReadonlyMap<string, NoticeText>, asked = ''): string | undefined {
  const [code = '', ...numbers] = asked.split('.');
  const text = notices.get(code);
  if (typeof text !== 'function') return text;
  return numbers.length > 0 && numbers.every((each) => /^\d{1,9}$/.test(each))
    ? text(...numbers.map(Number))
    : undefined;
}

const pathOf = (path: string, params: PageRequest['params']): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

const inPage = (at: PageRequest, { content, actions }: PageView) => ({
  content: <PageContext.Provider value={at}>{content}</PageContext.Provider>,
  actions: actions && <PageContext.Provider value={at}>{actions}</PageContext.Provider>,
});

/** The entry of the navigation to which a page belongs, and the pages above it. */
function placeIn({ navigation }: Chrome, path: string, { above = [] }: PageView): Pick<PageView, 'section' | 'trail'> {
  const entry = entryAbove(navigation, path);
  return { section: entry?.path, trail: entry && entry.path !== path ? [entry, ...above] : [] };
}

const placeOf = ({ base, publicPath, hooksPrefix, api }: SiteSettings) => ({
  base: `${publicPath}${base}`,
  platformPath: `${publicPath}${hooksPrefix}`,
  api,
});

const requestSource = (ctx: Context, { base, publicPath, originOf, commandsAt }: SiteSettings) => ({
  path: ctx.path.slice(base.length) || '/',
  params: (ctx as { params?: Readonly<Record<string, string>> }).params ?? {},
  query: ctx.query,
  commands: commandsAt(`${originOf(ctx)}${publicPath}`),
});

const requestOf = (ctx: Context, settings: SiteSettings, { caller }: SiteSession): PageRequest =>
  pageRequest(
    placeOf(settings),
    {
      ...requestSource(ctx, settings),
      form: ctx.method === 'POST' ? ctx.state.body : {},
      upload:
        ctx.method === 'POST' && ctx.request.is('multipart') ? { headers: ctx.headers, stream: ctx.req } : undefined,
      gone: goneSignal(ctx),
      origin: ctx.state,
    },
    caller,
  );

function requireFormOfThisSite(ctx: Context, { originOf }: SiteSettings): void {
  requireSameOrigin(ctx, originOf(ctx));
  if (ctx.state.bodyError) throw ctx.state.bodyError;
}

/** An error page has none of the parts that htmx asked for: it replaces the content. */
function showWholePage(ctx: Context): void {
  ctx.set('HX-Retarget', '#main');
  ctx.set('HX-Reselect', '#main');
  ctx.set('HX-Reswap', 'outerHTML');
}

function redirect(ctx: Context, { redirect: location }: Redirect): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.body = '';
}

function send(ctx: Context, { download: { fileName, bytes, content } }: Download): void {
  ctx.attachment(fileName);
  ctx.type = 'application/octet-stream';
  if (bytes !== undefined) ctx.length = bytes;
  content.once('error', () => ctx.res.destroy()); // a file without its end must not look complete
  ctx.body = content;
}

/** The referring page, if it is one of this site. */
function backHref(ctx: Context, { base, publicPath, originOf }: SiteSettings): string | undefined {
  const referrer = ctx.get('referer');
  if (!URL.canParse(referrer)) return undefined;
  const { origin, pathname, search } = new URL(referrer);
  const isOfSite = origin === originOf(ctx) && `${pathname}/`.startsWith(`${publicPath}${base}/`);
  const isThis = ctx.method === 'GET' && `${pathname}${search}` === `${publicPath}${ctx.url}`;
  return isOfSite && !isThis ? `${pathname}${search}` : undefined;
}
