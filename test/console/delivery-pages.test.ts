import { expect } from 'chai';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import { deliveryPages } from '../../src/console/pages/deliveries/deliveries.js';
import { flowEventPages } from '../../src/console/pages/flow-events/flow-events.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import type { SiteSettings } from '../../src/site/site.js';
import { withSite } from '../support/console/site-settings.js';

const paths = [
  '/deliveries',
  '/deliveries/6f0c2f3e-5b1a-5c8d-8a51-7d9a4e1b2c3d',
  '/flow-events',
  '/flow-events/show?id=order-4711',
];

/** Answers each call with the example of its route, and remembers the organisations that were asked for. */
function examples(asked: unknown[]): Pick<AdminApi, 'call'> {
  return {
    async call(route, request) {
      const { query = {}, body = {} } = request as Record<'query' | 'body', { orgId?: string } | undefined>;
      if (route.access.organisation !== 'of-object') asked.push(query.orgId ?? body.orgId);
      return exampleAnswer(route.answer) as never; // its schema is the route's
    },
  };
}

describe('the pages of deliveries and flow events', () => {
  const pagesOf = (asked: unknown[], caller: { role: 'viewer' | 'operator'; orgId: string | null }) => ({
    api: examples(asked),
    subjects: [deliveryPages, flowEventPages],
    sessionOf: async () => ({ caller: { actor: 'console:ada', ...caller } }),
  });
  const htmlOf = (settings: Partial<SiteSettings>, path: string) =>
    withSite(settings, async (origin) => (await fetch(`${origin}/console${path}`)).text());

  it("are about the caller's organisation if there is only one, whatever the URL names", async () => {
    for (const path of paths) {
      const asked: unknown[] = [];
      const html = await htmlOf(
        pagesOf(asked, { role: 'operator', orgId: 'acme' }),
        `${path}${path.includes('?') ? '&' : '?'}orgId=globex`,
      );
      expect(new Set(asked), path).to.deep.equal(new Set(['acme']));
      expect(html, path).not.to.include('name="orgId"');
    }
  });

  it('show a viewer no control that changes anything', async () => {
    for (const path of paths) {
      const seenBy = (role: 'viewer' | 'operator') => htmlOf(pagesOf([], { role, orgId: 'acme' }), path);
      expect(await seenBy('viewer'), path).not.to.match(/method="post"|>Redeliver…<|>Publish…</);
    }
    expect(await htmlOf(pagesOf([], { role: 'operator', orgId: 'acme' }), '/deliveries')).to.include('>Redeliver…<');
    expect(await htmlOf(pagesOf([], { role: 'operator', orgId: 'acme' }), '/flow-events')).to.include('>Publish…<');
  });

  it('examine a bounded number of deliveries before a redelivery, whose filter may match rarely', async () => {
    let calls = 0;
    const api: Pick<AdminApi, 'call'> = {
      async call() {
        calls += 1;
        return (calls > 100 ? { items: [], next: null } : { items: [], next: `after-${calls}` }) as never;
      },
    };
    const settings = { ...pagesOf([], { role: 'operator', orgId: 'acme' }), api };
    const html = await htmlOf(settings, '/deliveries/redeliver?type=rare');
    expect(calls).to.be.at.most(5 + 15 + 11); // counts by state, listeners that get nothing now, deliveries
    expect(html).to.include('Next page');
  });

  it('do not count deliveries to redeliver for a caller who may not redeliver', async () => {
    const asked: unknown[] = [];
    const html = await htmlOf(pagesOf(asked, { role: 'viewer', orgId: 'acme' }), '/deliveries/redeliver');
    expect(html).to.include('it needs the role operator');
    expect(asked).to.deep.equal([]);
  });
});
