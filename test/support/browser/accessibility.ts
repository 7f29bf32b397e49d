import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Grave findings of axe. */
const grave = new Set(['serious', 'critical']);

/** Rules whose result depends on the colours and on the layout; axe leaves `target-size` (WCAG 2.2, 2.5.8) out unless it is asked for. */
const ofLooks = ['color-contrast', 'link-in-text-block', 'target-size'];

/** All rules, or those of looks alone: the others find the same in both themes. */
const optionsOf = (areAll: boolean): string =>
  JSON.stringify({
    resultTypes: ['violations'],
    ...(areAll
      ? { rules: Object.fromEntries(ofLooks.map((rule) => [rule, { enabled: true }])) }
      : { runOnly: { type: 'rule', values: ofLooks } }),
  });

/** Waits for the new colours of the page: some change in a later frame, or by a transition. */
const endOfTransitions = `
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => Promise.all(
    document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished.catch(() => {})),
  )).then(() => undefined)`;

const desktop = { width: 1_280, height: 900 };
const phone = { width: 390, height: 844 };

/** The innermost elements that end beyond this width. */
const widestElements = `(width) => {
  const beyond = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > width);
  return beyond.filter((each) => !beyond.some((other) => other !== each && each.contains(other)))
    .map((each) => each.outerHTML.slice(0, 200)).join(' · ');
}`;

/**
 * Fails if axe finds a serious or critical violation of WCAG 2.2, level AA, or of its best practices, in either theme, on a desktop
 * or on a phone; or if the page is wider than these. `asItIs`: only in its present theme and size, since a large page takes axe long.
 */
export async function expectAccessible(page: Page, { asItIs = false } = {}): Promise<void> {
  const size = page.viewportSize() ?? desktop;
  const isDark = await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  const theme = isDark ? ('dark' as const) : ('light' as const);
  const found = new Set<string>();
  await page.evaluate(axe);
  for (const viewport of asItIs ? [size] : [desktop, phone]) {
    await page.setViewportSize(viewport);
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (width > viewport.width) {
      const widest = await page.evaluate(`(${widestElements})(${viewport.width})`);
      found.add(`it is ${width} px wide on ${viewport.width} px: ${widest}`);
    }
    for (const colorScheme of asItIs ? [theme] : (['light', 'dark'] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(endOfTransitions);
      const areAll = asItIs || colorScheme === 'light';
      const { violations } = (await page.evaluate(`axe.run(${optionsOf(areAll)})`)) as AxeResults;
      for (const { id, help, nodes, impact } of violations) {
        const texts = nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary.replaceAll(/\s+/g, ' ')}`);
        if (grave.has(impact ?? ''))
          found.add(`${id}: ${help} (${viewport.width} px, ${colorScheme}): ${texts.join(' · ')}`);
      }
    }
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: theme });
  if (found.size > 0) throw new Error(`${page.url()} is not accessible:\n${[...found].join('\n')}`);
}
