import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import type { Page } from 'playwright-core';
import { administratorOf } from '../../service/administrator.js';
import { startService } from '../../service/service.js';
import { temporaryDirectory } from '../../temporary-directory.js';
import { startChromium } from '../chromium.js';
import { exampleData } from './example-data.js';

/**
 * `npm run screenshots`: writes the pages of `docs/screenshots/` anew, or the pages with the paths of the arguments, such as
 * `/console/clients`, to `screenshots/`: light and dark, and these also as a phone shows them.
 */
const project = fileURLToPath(new URL('../../../../../', import.meta.url));
const documented = join(project, 'docs/screenshots');
const others = join(project, 'screenshots');
const desktop = { width: 1_280, height: 860 };
const phone = { width: 390, height: 844 };
/** Limit of one screenshot: longer pages are cut off. */
const maxHeight = 1_300;

mkdirSync(others, { recursive: true });
/** Time at which the service has started. */
const beganAt = Date.now() + 5_000;
const service = await startService({
  environment: {
    CLOCK_BEGAN_AT: String(beganAt),
    NODE_OPTIONS: `--import=${new URL('./an-hour-in-a-minute.js', import.meta.url).href}`,
    LOG_LEVEL: 'error',
    PORTAL_NAME: 'Northwind Automation',
    PORTAL_COLOURS: '{"light": "#0b6b5e", "dark": "#6fd3c0"}',
  },
});
const browser = await startChromium();
const limit = pLimit(3);
const administrator = administratorOf(() => service);
console.log('Publishing for a minute …');
const data = await exampleData(service, administrator, beganAt);
const pages = process.argv.length > 2 ? namedPages(process.argv.slice(2)) : await documentedPages();
await Promise.all(pages.map((page) => limit(() => show(page))));
await browser.close();
await service.stop();
await data.close();

type PageToShow = { name: string; path: string; isPhone?: boolean };

function namedPages(paths: readonly string[]): readonly PageToShow[] {
  return paths.flatMap((path) => {
    if (!path.startsWith('/')) throw new Error(`${path} is no path of a page, such as /console/clients`);
    const name = path.replaceAll(/\W+/g, '-').replace(/^-/, '');
    return [
      { name, path },
      { name: `${name}-phone`, path, isPhone: true },
    ];
  });
}

/** The pages that README.md shows. */
async function documentedPages(): Promise<readonly PageToShow[]> {
  const { listenerId, failingListenerId, eventId, beganAt: from } = data;
  const query = `orgId=acme&state=waiting&limit=200&listenerId=${failingListenerId}`;
  const { items } = (await administrator.get(`/deliveries?${query}`)).body as {
    items: readonly { id: string; attempts: number }[];
  };
  const delivery = items.toSorted((one, other) => other.attempts - one.attempts)[0]?.id;
  return [
    { name: 'overview', path: '/console' },
    { name: 'listener', path: `/console/listeners/${listenerId}` },
    { name: 'listener-explain', path: `/console/listeners/${listenerId}/explain?eventId=${eventId}` },
    { name: 'delivery', path: `/console/deliveries/${delivery}?orgId=acme` },
    { name: 'audit-difference', path: `/console/audit/difference?orgId=acme&from=${from.slice(0, 16)}` },
    { name: 'portal', path: '/portal' },
  ];
}

async function show({ name, path, isPhone = false }: PageToShow): Promise<void> {
  const viewport = isPhone ? phone : desktop;
  const context = await browser.newContext({ colorScheme: 'light', viewport, locale: 'en-GB' });
  const page = await context.newPage();
  if (path.startsWith('/portal')) await page.goto(await data.portalUrl());
  await page.goto(new URL(path, service.origin).href);
  await page.waitForLoadState('load');
  await page.waitForTimeout(1_000); // charts are drawn, and the first live update has come
  const height = await page.evaluate('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...viewport, height: Math.min(Math.max(Number(height), viewport.height), maxHeight) });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200); // charts are drawn anew
    await save(page, `${name}-${colorScheme}`);
  }
  await context.close();
}

/**
 * Almost lossless WebP, which for pages is smaller than lossy, and a quarter of PNG. Chromium encodes only the lossy one: the program
 * is from Debian's package webp.
 */
async function save(page: Page, name: string): Promise<void> {
  const inDocuments = join(documented, `${name}.webp`);
  const file = existsSync(inDocuments) ? inDocuments : join(others, `${name}.webp`);
  const png = join(temporaryDirectory(), 'page.png');
  await page.screenshot({ path: png });
  execFileSync('cwebp', ['-quiet', '-near_lossless', '0', '-z', '6', png, '-o', file]);
  console.log(relative(project, file));
}
