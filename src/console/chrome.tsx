import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Notice } from './components/notice.js';

export type NavigationEntry = {
  readonly text: string;
  /** The path of the page below the base. */
  readonly path: string;
  readonly href: string;
};

export type NavigationGroup = { readonly heading?: string; readonly entries: readonly NavigationEntry[] };

/** What is around the content of every page of a site. */
export type Chrome = {
  /** The name at the top: of the service, or of the company whose portal it is. */
  readonly name: string;
  readonly homeHref: string;
  readonly navigation: readonly NavigationGroup[];
  /** Who is signed in; undefined: there is nobody to sign out, as in development mode. */
  readonly account?: { readonly name: string; readonly role: string; readonly signOutHref: string | undefined };
  /** Beside the name, such as the mode. */
  readonly tag?: string;
  readonly stylesheets: readonly string[];
  readonly scripts: readonly string[];
  readonly icon: string;
};

/** The parts of a page that differ. */
export type Document = {
  readonly title: string;
  readonly section?: string | undefined;
  readonly lead?: ComponentChildren;
  readonly trail?: readonly { readonly href: string; readonly text: string }[] | undefined;
  readonly actions?: ComponentChildren;
  readonly notice?: string | undefined;
  readonly liveHref?: string | undefined;
  readonly content: ComponentChildren;
};

/** htmx adds no styles of its own, which the CSP would refuse, and leaves charts to the script that draws them. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  history: 'reload',
  mode: 'same-origin',
  morphSkip: '.chart-box',
});

/** The HTML of a page, with the navigation around it. */
export const renderDocument = (chrome: Chrome, page: Document): string =>
  html(
    chrome,
    page.title,
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Navigation chrome={chrome} section={page.section} />
        <main id="main" class="page" tabindex={-1} data-live={page.liveHref}>
          <header class="page-head">
            <div>
              <Trail trail={page.trail ?? []} />
              <h1>{page.title}</h1>
              {page.lead && <p class="lead">{page.lead}</p>}
            </div>
            <div class="page-actions">
              {page.liveHref && <LiveState />}
              {page.actions}
            </div>
          </header>
          {page.notice && <Notice tone="good">{page.notice}</Notice>}
          {page.content}
        </main>
      </div>
    </>,
  );

/** The HTML of a page without navigation, such as the one for signing in. */
export const renderCard = (
  chrome: Pick<Chrome, 'name' | 'stylesheets' | 'scripts' | 'icon'>,
  page: Pick<Document, 'title' | 'content'>,
): string =>
  html(
    chrome,
    page.title,
    <main id="main" class="card-page">
      <p class="brand">
        <Mark /> {chrome.name}
      </p>
      <h1>{page.title}</h1>
      {page.content}
    </main>,
  );

const html = (
  { name, stylesheets, scripts, icon }: Pick<Chrome, 'name' | 'stylesheets' | 'scripts' | 'icon'>,
  title: string,
  body: ComponentChildren,
): string =>
  `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={htmxConfig} />
        <title>{`${title} · ${name}`}</title>
        <link rel="icon" href={icon} type="image/svg+xml" />
        {stylesheets.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {scripts.map((src) => (
          <script key={src} src={src} defer />
        ))}
      </head>
      <body>{body}</body>
    </html>,
  )}`;

const Navigation = ({ chrome, section }: { readonly chrome: Chrome; readonly section: string | undefined }) => (
  <header class="side">
    <div class="side-top">
      <a class="brand" href={chrome.homeHref}>
        <Mark /> {chrome.name}
      </a>
      {chrome.tag && <span class="tag">{chrome.tag}</span>}
      <button type="button" class="menu-button" aria-expanded="false" aria-controls="menu" hidden>
        Menu
      </button>
    </div>
    <div id="menu" class="menu">
      <nav aria-label="Main">
        {chrome.navigation.map(({ heading, entries }) => (
          <div key={heading} class="nav-group">
            {heading && <h2>{heading}</h2>}
            <ul>
              {entries.map(({ text, path, href }) => (
                <li key={path}>
                  <a href={href} aria-current={path === section ? 'page' : undefined}>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {chrome.account && (
        <div class="account">
          <p class="account-name">{chrome.account.name}</p>
          <p class="account-role">{chrome.account.role}</p>
          {chrome.account.signOutHref && (
            <form method="post" action={chrome.account.signOutHref}>
              <button type="submit" class="quiet">
                Sign out
              </button>
            </form>
          )}
        </div>
      )}
    </div>
  </header>
);

const Trail = ({ trail }: { readonly trail: readonly { readonly href: string; readonly text: string }[] }) =>
  trail.length === 0 ? null : (
    <nav class="trail" aria-label="Breadcrumb">
      <ol>
        {trail.map(({ href, text }) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ol>
    </nav>
  );

/** The script says here whether the page is being updated. */
const LiveState = () => (
  <span class="live-state" role="status" data-live-state hidden>
    Live
  </span>
);

const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
    <path d="M5 4v9a7 7 0 0 0 14 0V9" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
    <path d="M15 12l4-4 4 4" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" />
  </svg>
);
