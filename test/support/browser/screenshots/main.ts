import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { administratorOf } from '../../service/administrator.js';
import { startService } from '../../service/service.js';
import { startChromium } from '../chromium.js';
import { exampleData } from './example-data.js';
import { pages } from './pages.js';

/** `npm run screenshots`: writes each page of the console and the portal, light and dark, to `docs/console/`. */
const directory = fileURLToPath(new URL('../../../../../docs/console', import.meta.url));
const asked = process.argv.slice(2);

/** WebP, whose files are a third of PNG's. */
async function save(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
  await session.detach();
  writeFileSync(join(directory, `${name}.webp`), Buffer.from(data, 'base64'));
  console.log(`docs/console/${name}.webp`);
}

mkdirSync(directory, { recursive: true });
const beganAt = Date.now();
const service = await startService({
  environment: {
    CLOCK_BEGAN_AT: String(beganAt),
    NODE_OPTIONS: `--import=${new URL('./an-hour-in-a-minute.js', import.meta.url).href}`,
    LOG_LEVEL: 'error',
  },
});
const browser = await startChromium();
const administrator = administratorOf(() => service);
console.log('Publishing for a minute …');
const data = await exampleData(service, administrator, beganAt);
for (const { name, path, width = 1_280, height = 860 } of await pages(data, administrator)) {
  if (asked.length > 0 && !asked.some((part) => name.includes(part))) continue;
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height }, locale: 'en-GB' });
    const page = await context.newPage();
    const answer = await page.goto(new URL(path, service.origin).href);
    if (answer?.status() !== 200) throw new Error(`${path} answered ${answer?.status()}`);
    await page.waitForLoadState('load');
    await page.waitForTimeout(1_500); // charts are drawn, and the first live update has come
    await save(page, `${name}-${colorScheme}`);
    await context.close();
  }
}
await browser.close();
await service.stop();
data.close();
