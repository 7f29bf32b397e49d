import { expect } from 'chai';
import { listKeysRoute, showServiceRoute } from '../../src/admin/api/contracts/service.js';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import { healthPages } from '../../src/console/pages/health/health.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import type { RouteAnswer } from '../../src/http/route-contract.js';
import { withSite } from '../support/console/site-settings.js';

/** The page of an instance with these settings in `UNSAFE`. */
const pageWith = (unsafe: RouteAnswer<typeof showServiceRoute>['unsafe']) => {
  const call = async (route: unknown) =>
    route === showServiceRoute
      ? { ...exampleAnswer(showServiceRoute.answer), unsafe }
      : exampleAnswer(listKeysRoute.answer);
  const api = { call } as unknown as AdminApi; // the two routes that the page calls
  return withSite({ api, subjects: [healthPages] }, async (origin) => (await fetch(`${origin}/console/health`)).text());
};

describe('the page about the health of an instance', () => {
  it('names the settings that void a protection', async () => {
    const html = await pageWith([{ setting: 'ALLOW_HTTP', voids: 'deliveries can be read' }]);
    expect(html)
      .to.include('UNSAFE permits')
      .and.to.match(/<code>ALLOW_HTTP<\/code>: deliveries can be read/);
  });

  it('says nothing of them where there are none', async () => expect(await pageWith([])).to.not.include('UNSAFE'));
});
