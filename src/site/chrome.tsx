import type { ComponentChildren } from 'preact';
import { Tabs } from './components/card.js';
import { pageActionsId } from './components/form.js';
import { Notice } from './components/tone.js';
import { Brand, entryOf, Navigation, type NavigationSettings, type SiteBrand } from './navigation.js';
import type { PageView } from './page-view.js';
import { renderHtml } from './render-html.js';

/** Addresses of the files that every page loads. */
export type PageFiles = {
  stylesheets: readonly string[];
  scripts: readonly string[];
  icon: string;
  icons: string;
};

/** Frame of every page of a site. */
export type Chrome = NavigationSettings & PageFiles;

/** Page without navigation. */
export type CardPage = Pick<PageView, 'title' | 'content'>;

/** The CSP refuses htmx's styles; the script draws the charts. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  history: 'reload',
  mode: 'same-origin',
  morphSkip: '.chart-box',
});

export const renderDocument = (chrome: Chrome, page: PageView & { notice: string | undefined }): string =>
  html(
    chrome,
    page.title,
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Navigation {...chrome} section={page.section} />
        <main id="main" class="page" tabindex={-1} data-live={page.live?.href}>
          <header class="page-head">
            <div>
              <Trail trail={page.trail ?? []} />
              <div class="title-row">
                <h1>{page.heading ?? page.title}</h1>
                {page.live?.href && <LiveState />}
              </div>
              {page.lead && <p class="lead">{page.lead}</p>}
            </div>
            <div id={pageActionsId} class="page-actions">
              {page.actions || null}
            </div>
          </header>
          <Pages chrome={chrome} section={page.section} />
          {page.notice && <Notice tone="good">{page.notice}</Notice>}
          {page.content}
        </main>
      </div>
    </>,
  );

/** Page without navigation, for signing in. */
export const renderCard = (chrome: PageFiles & SiteBrand, page: CardPage): string =>
  html(
    chrome,
    page.title,
    <main id="main" class="card-page">
      <p class="brand">
        <Brand name={chrome.name} logo={chrome.logo} />
      </p>
      <h1>{page.title}</h1>
      {page.content}
    </main>,
  );

const html = (
  { name, stylesheets, scripts, icon }: PageFiles & SiteBrand,
  title: string,
  body: ComponentChildren,
): string =>
  `<!doctype html>${renderHtml(
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

const Trail = ({ trail }: { trail: readonly { href: string; text: string }[] }) =>
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

/** The script shows here whether the page is live; a click stops and continues its updates. */
const LiveState = () => (
  <span role="status">
    <button type="button" class="live-state" data-live-state hidden>
      Live
    </button>
  </span>
);

/** Links to the other pages of the entry of the navigation. */
const Pages = ({ chrome, section }: { chrome: Chrome; section: string | undefined }) => {
  const entry = entryOf(chrome.navigation, section);
  return entry?.pages ? (
    <Tabs
      label={entry.text}
      tabs={entry.pages.map(({ text, path, href }) => ({ text, href, current: path === section }))}
    />
  ) : null;
};
