import { expect } from 'chai';
import { administratorOf } from '../support/service/administrator.js';
import { loadedModules, packagesOf } from '../support/service/loaded-packages.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The packages that a service on the embedded store has loaded after these requests. */
async function packagesAfter(use: (service: ServiceProcess) => Promise<void>): Promise<readonly string[]> {
  const directory = temporaryDirectory();
  const service = await startService({ environment: { NODE_V8_COVERAGE: directory } });
  await use(service);
  await service.stop();
  const packages = packagesOf(loadedModules(directory));
  expect(packages).to.include.members(['koa', 'better-sqlite3']);
  return packages;
}

const clientsOfServers = ['@eventstore/db-client', '@grpc/grpc-js', 'mongodb', 'bson', 'rate-limiter-flexible'];
const ofSchemas = ['ajv', 're2js'];
const ofTransformations = ['jsonata'];
const ofPages = ['preact', 'preact-render-to-string', 'rxjs', '@fastify/busboy'];
const ofAgents = ['@modelcontextprotocol/server', '@modelcontextprotocol/core'];
const ofIdentityProviders = ['openid-client', 'oauth4webapi'];

describe('the packages that a service on the embedded store loads', function () {
  this.timeout(120_000);

  it('for listeners and flow events are no clients of servers, schemas, transformations, pages, agents or identity providers', async () => {
    const packages = await packagesAfter(async (service) => {
      const headers = { orgid: 'acme', userid: 'user-1' };
      const json = { hookUrl: 'http://127.0.0.1:9999/hook', subscriptionType: 'flow.completed' };
      expect(await service.fetch('/api/hooks/subscribe/flows', { headers, json })).to.include({ status: 201 });
      const flowEvent = { orgId: 'acme', type: 'flow.completed', data: { total: 1 } };
      expect(await service.fetch('/api/flows', { json: flowEvent })).to.include({ status: 202 });
    });
    expect(packages).not.to.include.oneOf([
      ...clientsOfServers,
      ...ofSchemas,
      ...ofTransformations,
      ...ofPages,
      ...ofIdentityProviders,
      ...ofAgents,
    ]);
  });

  it('for a page, an agent, a schema and a transformation are those of each, from then on', async () => {
    const packages = await packagesAfter(async (service) => {
      expect((await service.fetch('/console')).status).to.equal(200);
      expect((await fetch(`${service.origin}/mcp`, { method: 'POST' })).status).to.equal(401);
      const declared = { name: 'order.paid', description: 'An order was paid', schema: { type: 'object' } };
      expect((await administratorOf(() => service).post('/event-types', declared)).status).to.be.below(300);
      const headers = { orgid: 'acme', userid: 'user-1' };
      const json = { hookUrl: 'http://127.0.0.1:9999/hook', subscriptionType: 'flow.completed', transform: 'data' };
      expect(await service.fetch('/api/hooks/subscribe/flows', { headers, json })).to.include({ status: 201 });
    });
    expect(packages).to.include.members([...ofPages, ...ofSchemas, ...ofTransformations, ...ofAgents]);
    expect(packages).not.to.include.oneOf([...clientsOfServers, ...ofIdentityProviders]);
  });
});
