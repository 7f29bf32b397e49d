import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe counts as more than a nuisance. */
const grave = new Set(['serious', 'critical']);

/** Fails if axe finds a serious or critical violation of WCAG 2.2, level AA, or of its best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  const found = violations
    .filter(({ impact }) => grave.has(impact ?? ''))
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' · ')}`);
  if (found.length > 0) throw new Error(`${page.url()} is not accessible:\n${found.join('\n')}`);
}
