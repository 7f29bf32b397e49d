import { expect } from 'chai';
import type { ReachableService } from '../service/service.js';
import { consolePages } from './pages.js';

/** Pages of the console whose answers must have a status: 200 of a page, 303 of an action, unless another is given. */
export function expectedPages(service: () => ReachableService) {
  const pages = consolePages(service);
  return {
    /** The HTML of a page. */
    async get(path: string, expected = 200): Promise<string> {
      const { status, html } = await pages.get(path);
      expect(status, path).to.equal(expected);
      return html;
    },
    /** The page to which an action led, below `/console`, or the HTML of its answer. */
    async post(path: string, form: Readonly<Record<string, string>>, expected = 303): Promise<string> {
      const { status, html, location } = await pages.post(path, form);
      expect(status, html).to.equal(expected);
      return expected === 303 ? location.replace(/^\/console/, '') : html;
    },
  };
}
