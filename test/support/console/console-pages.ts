import { expect } from 'chai';
import type { ServiceProcess } from '../service/service.js';

/** Fields by name; a field may have several values. */
type Form = Readonly<Record<string, string | readonly string[]>>;

/** The console as a browser without scripts uses it. Paths begin after `/console`. */
export type ConsolePages = {
  /** The HTML of a page; the answer must have this status. */
  readonly get: (path: string, status?: number) => Promise<string>;
  /** Sends a form of a page of the console. Returns the path to which it leads, or the HTML of its answer. */
  readonly post: (path: string, form: Form, status?: number) => Promise<string>;
};

export const consolePages = (service: () => ServiceProcess): ConsolePages => ({
  async get(path, status = 200) {
    const response = await fetch(`${service().origin}/console${path}`);
    expect(response.status, path).to.equal(status);
    return response.text();
  },
  async post(path, form, status = 303) {
    const { origin } = service();
    const fields = Object.entries(form).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
    const response = await fetch(`${origin}/console${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin },
      body: new URLSearchParams(fields),
    });
    const html = await response.text();
    expect(response.status, html).to.equal(status);
    return status === 303 ? (response.headers.get('location') ?? '').replace(/^\/console/, '') : html;
  },
});

/** The text of HTML, as a reader sees it: without tags, one space between words. */
export const textOf = (html: string): string =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? '')
    .replace(/\s+/g, ' ');

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
