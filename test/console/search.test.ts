import { expect } from 'chai';
import { listFlowEventsRoute } from '../../src/admin/api/contracts/flow-events.js';
import { listOrganisationsRoute } from '../../src/admin/api/contracts/organisations.js';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import { searchPages } from '../../src/console/pages/search.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import { NotFound } from '../../src/http/errors.js';
import { withSite } from '../support/console/site-settings.js';
import { textOf } from '../support/console/text-of.js';

const organisations = Array.from({ length: 450 }, (_, number) => `org-${String(number).padStart(3, '0')}`);
const order = { ...exampleAnswer(listFlowEventsRoute.answer).items[0], orgId: 'org-321', eventId: 'order-4711' };

describe('the search over all organisations', () => {
  /** API with 450 organisations, one of which has a flow event. */
  const apiThatCounts = (searched: string[]): Pick<AdminApi, 'call'> => ({
    async call(route, request) {
      const { query } = request as { query?: Readonly<Record<string, string>> };
      const { path } = route as { path: string };
      if (path === listOrganisationsRoute.path) {
        const { prefix = '', after = '', limit } = query ?? {};
        const all = organisations.filter((orgId) => orgId.startsWith(prefix) && orgId > after);
        const page = all.slice(0, Number(limit));
        return {
          items: page.map((orgId) => ({ orgId })),
          next: page.length < all.length ? page.at(-1) : null,
        } as never;
      }
      if (path !== listFlowEventsRoute.path || query?.orgId === undefined) throw new NotFound('nothing is there');
      searched.push(query.orgId);
      return { items: query.orgId === order.orgId ? [order] : [], next: null } as never;
    },
  });

  it('finds a flow event of any of them, two hundred on a page, and says so', async () => {
    const searched: string[] = [];
    await withSite({ subjects: [searchPages], api: apiThatCounts(searched) }, async (origin) => {
      let href: string | undefined = '/console/search?term=order-4711';
      const pages: string[] = [];
      while (href !== undefined) {
        const html: string = await (await fetch(`${origin}${href}`)).text();
        pages.push(textOf(html));
        href = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(pages).to.have.length(3);
      expect(pages[0])
        .to.include('so far The flow events of 200 organisations were searched')
        .and.not.to.include('org-321');
      expect(pages[1]).to.include('order-4711').and.include('org-321');
      expect(pages[2]).to.include('Nothing was found');
    });
    expect(searched).to.deep.equal(organisations);
  });
});
