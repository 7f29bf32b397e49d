import { type Browser, chromium } from 'playwright-core';
import { chromium as executablePath, needs } from '../run/programs.js';
import { type OpenPage, openPages, type PageOptions } from './open-pages.js';

const flags = [
  '--headless',
  '--no-sandbox', // containers forbid it
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens a page in its own session, with its own cookies. */
export type NewPage = (options?: PageOptions) => Promise<OpenPage>;

/**
 * Defines tests in Chromium, of which one is started for all of them. After each test its pages are closed, and it fails if one
 * of them printed an error, broke its Content Security Policy, or asked another origin for anything.
 */
export function inChromium(what: string, define: (newPage: NewPage) => void): void {
  describe(what, () => {
    if (!needs('chromium')) return;
    let browser: Browser;
    before(async () => {
      browser = await startChromium();
    });
    after(() => browser.close());

    const pages = openPages(() => browser);
    afterEach(() => pages.closeAll());
    define(pages.open);
  });
}

export const startChromium = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: flags });
