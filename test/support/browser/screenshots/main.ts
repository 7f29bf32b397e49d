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
import { type PageToShow, pages } from './pages.js';

/**
 * `npm run screenshots`: writes each page of the console and the portal, light and dark, to `screenshots/`, but for those that
 * `docs/screenshots/` has, which it replaces there. A part of a name as argument restricts it to the pages with this name.
 */
const project = fileURLToPath(new URL('../../../../../', import.meta.url));
const documented = join(project, 'docs/screenshots');
const others = join(project, 'screenshots');
const asked = process.argv.slice(2);
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
const toShow = (await pages(data, administrator)).filter(
  ({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)),
);
// Forms change what other pages show.
for (const isForm of [false, true]) {
  await Promise.all(toShow.filter(({ act }) => (act !== undefined) === isForm).map((page) => limit(() => show(page))));
}
await browser.close();
await service.stop();
data.close();

async function show({ name, path, phone: isPhone = false, status = 200, act }: PageToShow): Promise<void> {
  const viewport = isPhone ? phone : desktop;
  const context = await browser.newContext({ colorScheme: 'light', viewport, locale: 'en-GB' });
  const page = await context.newPage();
  if (path.startsWith('/portal')) await page.goto(await data.portalUrl());
  const answer = await page.goto(new URL(path, service.origin).href);
  if (answer?.status() !== status) throw new Error(`${path} answered ${answer?.status()}`);
  await act?.(page);
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
