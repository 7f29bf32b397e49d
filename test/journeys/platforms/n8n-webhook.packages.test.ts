import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { builtModule } from '../../support/n8n/built-nodes.js';

type Trigger = {
  webhook: (this: unknown) => Promise<{ workflowData?: unknown; noWebhookResponse?: boolean }>;
};

const { FlowHooksTrigger } = builtModule<{ FlowHooksTrigger: new () => Trigger }>(
  'nodes/FlowHooksTrigger/FlowHooksTrigger.node.js',
);

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
    const result = await new FlowHooksTrigger().webhook.call({
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
    'a listener without a secret': () => [signed(), body, null],
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
