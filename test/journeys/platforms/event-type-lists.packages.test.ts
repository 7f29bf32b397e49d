import { expect } from 'chai';
import { builtModule } from '../../support/n8n/built-nodes.js';
import { type NodeContext, nodeContext } from '../../support/n8n/node-context.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';
import { loadIntegration } from '../../support/zapier/integration.js';

type Listed = {
  results: readonly { value: string }[];
  paginationToken?: string;
};
type Trigger = {
  methods: {
    listSearch: {
      searchSubscriptionTypes: (this: NodeContext, search?: string, after?: string) => Promise<Listed>;
    };
  };
};

describe('the lists of event types of the platforms', function () {
  this.timeout(180_000);
  const names = Array.from({ length: 1_100 }, (_, index) => `type.${String(index).padStart(4, '0')}`);
  let service: ServiceProcess;
  before(async () => {
    service = await startService();
    const { post } = administratorOf(() => service);
    const declare = async (name: string) =>
      expect((await post('/event-types', { name, description: `Number ${name.slice(-4)}` })).status).to.equal(201);
    for (let from = 0; from < names.length; from += 50) await Promise.all(names.slice(from, from + 50).map(declare));
    const last = `/api/hooks/subscription-types?search=${names.at(-1)}`;
    await until(async () => ((await service.fetch(last)).body as readonly unknown[]).length === 1, 'the last type');
  });
  after(() => service.stop());

  it('has all types in the pages of Zapier, and those that a user searches for', async () => {
    process.env.FLOW_HOOKS_URL = service.origin;
    const integration = loadIntegration();
    const page = async (number: number, inputData = {}) => {
      const bundle = { inputData, meta: { isFillingDynamicDropdown: true, page: number } };
      const types = await integration.run('triggers.subscription_type.operation.perform', bundle);
      return (types as readonly { id: string }[]).map(({ id }) => id);
    };
    const [first, second, third] = [await page(0), await page(1), await page(2)];
    expect([...first, ...second]).to.deep.equal(['*', ...names]);
    expect(third).to.deep.equal([]);
    expect(await page(0, { subscriptionTypeSearch: 'number 1099' })).to.deep.equal(['type.1099']);
    expect(await page(0, { subscriptionTypeSearch: '' })).to.have.length(1_000);
  });

  it('has all types in the pages of n8n, and those that a user searches for', async () => {
    const path = 'nodes/FlowHooksTrigger/FlowHooksTrigger.node.js';
    const { FlowHooksTrigger } = builtModule<{ FlowHooksTrigger: new () => Trigger }>(path);
    const { searchSubscriptionTypes } = new FlowHooksTrigger().methods.listSearch;
    const context = nodeContext({ authentication: 'apiKey' }, { baseUrl: service.origin, orgId: 'acme' });
    const read: string[] = [];
    let after: string | undefined;
    do {
      const { results, paginationToken } = await searchSubscriptionTypes.call(context, '', after);
      read.push(...results.map(({ value }) => value));
      after = paginationToken;
    } while (after !== undefined);
    expect(read).to.deep.equal(['*', ...names]);
    const { results, paginationToken } = await searchSubscriptionTypes.call(context, 'number 1099');
    expect([results.map(({ value }) => value), paginationToken]).to.deep.equal([['type.1099'], undefined]);
  });
});
