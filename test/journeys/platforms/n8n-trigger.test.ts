import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { builtModule } from '../../support/n8n/built-nodes.js';
import { failureOf, type NodeContext, nodeContext } from '../../support/n8n/node-context.js';
import { administratorOf } from '../../support/service/administrator.js';
import { signIn } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

type Lifecycle = Record<'checkExists' | 'create' | 'delete', (this: NodeContext) => Promise<boolean>>;
type Trigger = {
  readonly webhookMethods: { readonly default: Lifecycle };
  readonly webhook: (
    this: unknown,
  ) => Promise<{ readonly workflowData?: unknown; readonly noWebhookResponse?: boolean }>;
};

const newTrigger = (): Trigger =>
  new (builtModule<{ FlowHooksTrigger: new () => Trigger }>(
    'nodes/FlowHooksTrigger/FlowHooksTrigger.node.js',
  ).FlowHooksTrigger)();

describe('the webhook of the n8n trigger', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = '{"id":"order-1","data":{"name":"Zoë"}}';

  const signed = (secondsAgo = 0, by = secret): Record<string, string> => {
    const at = new Date(Date.now() - secondsAgo * 1_000);
    const signature = new Webhook(by).sign('msg_1', at, body);
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
      'webhook-signature': signature,
    };
  };

  async function receive(
    headers: Record<string, unknown>,
    sent: string | null = body,
    signingSecret: unknown = secret,
  ) {
    const answer = { status: 200, body: {} };
    const response = {
      status: (status: number) => {
        answer.status = status;
        return response;
      },
      json: (json: object) => {
        answer.body = json;
      },
    };
    const result = await newTrigger().webhook.call({
      getHeaderData: () => headers,
      getRequestObject: () => ({ rawBody: sent === null ? undefined : Buffer.from(sent) }),
      getResponseObject: () => response,
      getBodyData: () => JSON.parse(sent ?? '{}') as unknown,
      getWorkflowStaticData: () => ({ signingSecret }),
    });
    return { ...answer, ...result };
  }

  it('starts the workflow with a delivery that the Standard Webhooks library has signed', async () => {
    const received = await receive(signed());
    expect(received).to.deep.include({ status: 200, workflowData: [[{ json: JSON.parse(body) }]] });
  });

  it('accepts one valid signature of several, as while a secret is rotated, and a clock that is some minutes off', async () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const both = {
      ...signed(),
      'webhook-signature': `${signed(0, other)['webhook-signature']} ${signed()['webhook-signature']}`,
    };
    expect(await receive(both)).to.have.property('workflowData');
    expect(await receive(signed(290))).to.have.property('workflowData');
    expect(await receive(signed(-290))).to.have.property('workflowData');
  });

  it('makes an item of a body that is no object, as a transformation may give', async () => {
    const bare = { 'webhook-id': 'msg_1', 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` };
    const at = new Date(Number(bare['webhook-timestamp']) * 1_000);
    const signature = new Webhook(secret).sign('msg_1', at, '[1,2]');
    const received = await receive({ ...bare, 'webhook-signature': signature }, '[1,2]');
    expect(received).to.deep.include({ workflowData: [[{ json: { body: [1, 2] } }]] });
  });

  const forged: Readonly<Record<string, () => Parameters<typeof receive>>> = {
    'a wrong signature': () => [signed(0, `whsec_${Buffer.alloc(32).toString('base64')}`)],
    'another body': () => [signed(), body.replace('order-1', 'order-2')],
    'the ID of another delivery': () => [{ ...signed(), 'webhook-id': 'msg_2' }],
    'another time': () => [{ ...signed(60), 'webhook-timestamp': signed()['webhook-timestamp'] }],
    'a time that is too old': () => [signed(310)],
    'a time in the future': () => [signed(-310)],
    'a time that is no number': () => [{ ...signed(), 'webhook-timestamp': '1e9' }],
    'another version of signatures': () => [
      { ...signed(), 'webhook-signature': signed()['webhook-signature']?.replace('v1,', 'v2,') },
    ],
    'an empty signature': () => [{ ...signed(), 'webhook-signature': '' }],
    'no signature': () => [{ ...signed(), 'webhook-signature': undefined }],
    'no time': () => [{ ...signed(), 'webhook-timestamp': undefined }],
    'no ID': () => [{ ...signed(), 'webhook-id': undefined }],
    'a body that n8n does not read, such as a file': () => [signed(), null],
    'a hook without a secret': () => [signed(), body, null],
  };
  for (const [what, request] of Object.entries(forged)) {
    it(`answers 401 and starts nothing: ${what}`, async () => {
      const { status, ...result } = await receive(...request());
      expect(status).to.equal(401);
      expect(result).to.deep.include({ noWebhookResponse: true }).and.not.have.property('workflowData');
      expect(result.body).to.have.all.keys('error', 'message');
    });
  }
});

describe('the n8n trigger registers its hook', () => {
  let service: ServiceProcess;
  const { get } = administratorOf(() => service);
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const { checkExists, create, delete: remove } = newTrigger().webhookMethods.default;
  const webhookUrl = 'http://127.0.0.1:4000/webhook/1/webhook';
  async function signedIn(parameters: object = {}): Promise<NodeContext> {
    const oauthTokenData = { ...(await signIn(service)), org_id: 'acme', user_id: 'ada' };
    const all = { authentication: 'oAuth2', subscriptionType: 'order.*', webhookUrl, ...parameters };
    return nodeContext(all, { baseUrl: `${service.origin}/`, oauthTokenData });
  }
  const hooks = async () => {
    const { items } = (await get('/listeners?orgId=acme')).body as {
      items: readonly { listenerId: string; state: string }[];
    };
    return items;
  };

  it('once, as the user of its access token, and keeps the secret', async () => {
    const options = { ordered: true, ratePerSecond: 2, transform: '{"total": data.total}' };
    const context = await signedIn({ filter: '{"data.total": {"$gt": 40}}', options });
    expect(await checkExists.call(context)).to.equal(false);
    expect(await create.call(context)).to.equal(true);
    const registered = await hooks();
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
    expect(await hooks()).to.deep.equal(registered);
    expect(await remove.call(context)).to.equal(true);
    expect(await hooks()).to.deep.equal([]);
    expect(context.staticData).to.deep.equal({});
    expect(await remove.call(context), 'again').to.equal(true);
  });

  it('anew if the address of n8n has changed', async () => {
    const context = await signedIn();
    Object.assign(context.staticData, { hookUrl: 'http://127.0.0.1:4000/before', signingSecret: 'whsec_' });
    expect(await checkExists.call(context)).to.equal(false);
  });

  it('not again while the service cannot be reached, and goes on with what it knows', async () => {
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

  it('and keeps what it knows if the hook cannot be removed', async () => {
    const context = nodeContext(
      { authentication: 'apiKey', webhookUrl },
      { baseUrl: 'http://127.0.0.1:9', orgId: 'acme' },
    );
    Object.assign(context.staticData, { hookUrl: webhookUrl, signingSecret: 'whsec_AAAA' });
    expect((await failureOf(remove.call(context))).name).to.equal('NodeApiError');
    expect(context.staticData).to.include({ hookUrl: webhookUrl });
  });
});
