/** A page that a browser shows, or the URL of another program that it was sent to. */
export type Page = {
  url: URL;
  status: number;
  headers: Headers;
  html: string;
};

export type Browser = {
  open: (url: string | URL) => Promise<Page>;
  /** Sends the form of a page with its hidden fields and these; `changes`: what an attacker sends instead. */
  submit: (page: Page, fields?: Fields, changes?: Changes) => Promise<Page>;
  /** The cookies that it would send with a request for this URL, by name. */
  cookiesFor: (url: string | URL) => ReadonlyMap<string, string>;
};

type Cookie = { name: string; value: string; path: string };
type Fields = Readonly<Record<string, string>>;
/** `form`: a part of the action of the form, of several. */
type Changes = { origin?: string; fields?: Fields; form?: string };

const maxRedirects = 20;

/**
 * Follows redirects and keeps cookies as browsers do: by host, whatever the port, and by path. It stops
 * where it is sent to a URL that begins with one of `elsewhere`, such as those of the platform.
 */
export function openBrowser(...elsewhere: readonly string[]): Browser {
  const jar = new Map<string, readonly Cookie[]>();

  function cookiesFor(url: string | URL): ReadonlyMap<string, string> {
    const { hostname, pathname } = new URL(url);
    const sent = (jar.get(hostname) ?? []).filter(({ path }) => `${pathname}/`.startsWith(path.replace(/\/?$/, '/')));
    return new Map(sent.map(({ name, value }) => [name, value]));
  }

  function keep(url: URL, headers: Headers): void {
    for (const text of headers.getSetCookie()) {
      const [pair = '', ...attributes] = text.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const path = attributes.find((each) => /^path=/i.test(each))?.slice('path='.length) ?? '/';
      const isOver = attributes.some((each) => /^max-age=0$/i.test(each) || /^expires=.* 1970 /i.test(each));
      const others = (jar.get(url.hostname) ?? []).filter((each) => each.name !== name || each.path !== path);
      jar.set(url.hostname, isOver ? others : [...others, { name, value: pair.slice(name.length + 1), path }]);
    }
  }

  async function request(url: URL, init: RequestInit): Promise<Page> {
    let next = { url, init };
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      if (redirects > 0 && elsewhere.some((prefix) => next.url.href.startsWith(prefix))) {
        return { url: next.url, status: 0, headers: new Headers(), html: '' };
      }
      const cookie = [...cookiesFor(next.url)].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next.url, {
        ...next.init,
        redirect: 'manual',
        headers: { accept: 'text/html', ...next.init.headers, ...(cookie && { cookie }) },
      });
      keep(next.url, response.headers);
      const location = response.headers.get('location');
      const { status, headers } = response;
      if (location === null) return { url: next.url, status, headers, html: await response.text() };
      next = { url: new URL(location, next.url), init: {} };
    }
    throw new Error(`more than ${maxRedirects} redirects from ${url.href}`);
  }

  return {
    cookiesFor,
    open: (url) => request(new URL(url), {}),
    submit(page, fields = {}, { origin = page.url.origin, fields: changed = {}, form = '' } = {}) {
      const actions = [...page.html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action = '']) => action);
      const action = actions.find((each) => each.includes(form));
      if (action === undefined) throw new Error(`no form at ${page.url.href}: ${page.html}`);
      const hidden = [...page.html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const body = new URLSearchParams({
        ...Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, textOf(value)])),
        ...fields,
        ...changed,
      });
      return request(new URL(textOf(action), page.url), { method: 'POST', body, headers: { origin } });
    },
  };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The text of an attribute's value. */
const textOf = (html: string): string =>
  html.replace(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, name = '') =>
    code === undefined ? (entities[name] ?? entity) : String.fromCharCode(Number(code)),
  );
