import { expect } from 'chai';
import { healthRoutes } from '../../src/http/health.js';
import { metricsRoutes } from '../../src/service/metrics/routes.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

describe('the paths of monitoring, which reverse proxies keep inside', () => {
  let served: Served;
  before(async () => {
    served = await serveRoutes(
      healthRoutes(() => []),
      metricsRoutes([]),
    );
  });
  after(() => served.close());

  const statusOf = async (path: string) => (await fetch(`${served.origin}${path}`)).status;

  for (const path of ['/healthz', '/readyz', '/metrics'])
    it(`are exactly ${path}: no variant of it reaches the route past a rule for it`, async () => {
      expect(await statusOf(path)).to.equal(200);
      const variants = [`${path}/`, `${path}//`, `/${path}`, path.toUpperCase(), `${path};a`, `${path}%2f`];
      for (const variant of variants) expect(await statusOf(variant), variant).to.equal(404);
    });
});
