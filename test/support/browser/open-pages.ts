import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

export type OpenPage = Page & {
  /** Accepts these messages, which the browser prints by itself: of an answer with an error status, for example. */
  expectMessages: (pattern: RegExp) => void;
};

export type PageOptions = BrowserContextOptions & {
  /** Origins, beside the first one that the page opens, that it may ask: of an embedding page. */
  origins?: readonly string[];
};

export type Pages = {
  open: (options?: PageOptions) => Promise<OpenPage>;
  /** Fails if a page had a fault: see `inChromium`. */
  closeAll: () => Promise<void>;
};

/** Size and time zone, so that every machine shows the same. */
const usual = { viewport: { width: 1_280, height: 900 }, locale: 'en-GB', timezoneId: 'Europe/Zurich' };

export function openPages(browser: () => Browser): Pages {
  let open: { context: BrowserContext; faults: () => readonly string[] }[] = [];
  return {
    async open({ origins = [], ...options } = {}) {
      const context = await browser().newContext({ ...usual, ...options });
      context.setDefaultTimeout(60_000);
      const expected: RegExp[] = [];
      const faults: string[] = [];
      const page = await context.newPage();
      watchFaults(page, origins, (fault) => faults.push(fault));
      open.push({ context, faults: () => faults.filter((fault) => !expected.some((each) => each.test(fault))) });
      return Object.assign(page, { expectMessages: (pattern: RegExp) => void expected.push(pattern) });
    },

    async closeAll() {
      const closed = open;
      open = [];
      for (const { context } of closed) await context.close();
      const faults = closed.flatMap((each) => each.faults());
      if (faults.length > 0) throw new Error(`pages had faults:\n${faults.join('\n')}`);
    },
  };
}

function watchFaults(page: Page, origins: readonly string[], report: (fault: string) => void): void {
  const allowed = new Set(origins);
  page.on('pageerror', (error) => report(`uncaught: ${error.message}`));
  // A broken Content Security Policy is printed as an error too.
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) report(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!/^https?:$/.test(protocol)) return;
    if (origins.length === 0 && allowed.size === 0) allowed.add(origin); // the page's own
    if (!allowed.has(origin)) report(`asked another origin: ${request.url()}`);
  });
}
