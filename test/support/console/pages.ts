import type { ReachableService } from '../service/service.js';

/** A page as a browser gets it. */
type ShownPage = {
  status: number;
  /** Target of an action; empty for a page. */
  location: string;
  html: string;
};

export type Pages = {
  get: (path: string) => Promise<ShownPage>;
  /** Sends a form of this site. */
  post: (path: string, form?: Readonly<Record<string, string>>) => Promise<ShownPage>;
};

/** The console of a service in development mode; paths begin after `/console`. */
export function consolePages(service: () => ReachableService): Pages {
  const shown = async (asked: ReturnType<ReachableService['fetch']>): Promise<ShownPage> => {
    const { status, headers, body } = await asked;
    return { status, location: headers.get('location') ?? '', html: String(body) };
  };
  return {
    get: (path) => shown(service().fetch(`/console${path}`)),
    post: (path, form = {}) =>
      shown(service().fetch(`/console${path}`, { form, method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } })),
  };
}
