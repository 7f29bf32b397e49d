import { expect } from 'chai';
import { builtModule } from '../../support/n8n/built-nodes.js';
import { failureOf, type NodeContext, nodeContext } from '../../support/n8n/node-context.js';
import { administratorOf } from '../../support/service/administrator.js';
import { signIn } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

type Lifecycle = Record<'checkExists' | 'create' | 'delete', (this: NodeContext) => Promise<boolean>>;
type Trigger = { webhookMethods: { default: Lifecycle } };

const { FlowHooksTrigger } = builtModule<{ FlowHooksTrigger: new () => Trigger }>(
  'nodes/FlowHooksTrigger/FlowHooksTrigger.node.js',
);

describe('the n8n trigger registers its listener', () => {
  let service: SharedService;
  const { get } = administratorOf(() => service);
  before(async () => {
    service = await sharedService();
  });

  const { checkExists, create, delete: remove } = new FlowHooksTrigger().webhookMethods.default;
  const webhookUrl = 'http://127.0.0.1:4000/webhook/1/webhook';
  async function signedIn(parameters: object = {}): Promise<NodeContext> {
    const oauthTokenData = { ...(await signIn(service)), org_id: service.orgId, user_id: 'ada' };
    const all = { authentication: 'oAuth2', subscriptionType: 'order.*', webhookUrl, ...parameters };
    return nodeContext(all, { baseUrl: `${service.origin}/`, oauthTokenData });
  }
  const listeners = async () => {
    const { items } = (await get(`/listeners?orgId=${service.orgId}`)).body as {
      items: readonly { listenerId: string; state: string }[];
    };
    return items;
  };

  it('once, as the user of its access token, and keeps the secret', async () => {
    const options = { ordered: true, ratePerSecond: 2, transform: '{"total": data.total}' };
    const context = await signedIn({ filter: '{"data.total": {"$gt": 40}}', options });
    expect(await checkExists.call(context)).to.equal(false);
    expect(await create.call(context)).to.equal(true);
    const registered = await listeners();
    expect(registered).to.have.length(1);
    expect(registered[0]).to.deep.include({
      ...options,
      userId: 'ada',
      state: 'active',
      filter: { 'data.total': { $gt: 40 } },
    });
    expect(context.staticData).to.deep.include({ hookUrl: webhookUrl, listenerId: registered[0]?.listenerId });
    expect(context.staticData.signingSecret).to.match(/^whsec_/);

    expect(await checkExists.call(context), 'at the next start').to.equal(true);
    expect(await listeners()).to.deep.equal(registered);
    expect(await remove.call(context)).to.equal(true);
    expect(await listeners()).to.deep.equal([]);
    expect(context.staticData).to.deep.equal({});
    expect(await remove.call(context), 'again').to.equal(true);
  });

  it('anew if the address of n8n has changed', async () => {
    const context = await signedIn();
    Object.assign(context.staticData, { hookUrl: 'http://127.0.0.1:4000/before', signingSecret: 'whsec_' });
    expect(await checkExists.call(context)).to.equal(false);
  });

  it('not again while the service cannot be reached, and continues with known types', async () => {
    const context = nodeContext(
      { authentication: 'apiKey', subscriptionType: '*', webhookUrl },
      { baseUrl: 'http://127.0.0.1:9', orgId: 'acme' },
    );
    const kept = { hookUrl: webhookUrl, listenerId: '1', signingSecret: 'whsec_AAAA' };
    Object.assign(context.staticData, kept);
    expect(await checkExists.call(context)).to.equal(true);
    expect(context.staticData).to.deep.equal(kept);
    expect(context.logged.join()).to.include('kept');
  });

  it('or fails with the message of the service, and removes what was never registered', async () => {
    const wrong = await signedIn({
      filter: { 'data.total': { $where: '1' } },
      webhookUrl: 'http://127.0.0.1:4000/never',
    });
    const refused = await failureOf(create.call(wrong));
    expect(refused.name).to.equal('NodeApiError');
    expect(refused.message).to.include('$where');
    expect(refused).to.have.property('httpCode', '400');
    expect(wrong.staticData).to.deep.equal({});
    expect(await remove.call(wrong)).to.equal(true);
    for (const filter of ['{"data.total":', '[]']) {
      expect((await failureOf(create.call(await signedIn({ filter })))).message).to.match(
        /^Filter (is not valid JSON|has to be a JSON object)/,
      );
    }
  });

  it('and keeps what it knows if the listener cannot be removed', async () => {
    const context = nodeContext(
      { authentication: 'apiKey', webhookUrl },
      { baseUrl: 'http://127.0.0.1:9', orgId: 'acme' },
    );
    Object.assign(context.staticData, { hookUrl: webhookUrl, signingSecret: 'whsec_AAAA' });
    expect((await failureOf(remove.call(context))).name).to.equal('NodeApiError');
    expect(context.staticData).to.include({ hookUrl: webhookUrl });
  });
});
