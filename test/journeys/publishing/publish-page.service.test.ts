import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

const run = promisify(execFile);

describe('the commands of docs/publish.md', () => {
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  it('publish with an API key, one event and many, and listeners receive what the page shows', async () => {
    const key = { name: 'shop', orgId: service.orgId, scopes: ['flows:publish'] };
    const { body } = await administratorOf(() => service).post('/api-keys', key);
    const env = { ...ownEnvironment(), FLOW_HOOKS: service.origin, KEY: (body as { key: string }).key };
    await subscribe(service, `${receiver.origin}/hook`, { subscriptionType: '*' });

    const answers: unknown[] = [];
    for (const block of documentedBlocks('docs/publish.md', 'sh'))
      answers.push(JSON.parse((await run('sh', ['-ec', block.replaceAll('acme', service.orgId)], { env })).stdout));
    const accepted = (id: string, line?: number) => ({ id, status: 'accepted', ...(line && { line }) });
    expect(answers).to.deep.equal([
      { id: 'order-4711-paid' },
      {
        accepted: 1,
        rejected: 1,
        results: [
          accepted('order-1-paid'),
          {
            id: 'order-2-paid',
            status: 'rejected',
            error: 'invalid_request',
            message: 'type: must be 1 to 128 letters, digits or . _ : / -',
          },
        ],
      },
      { accepted: 2, rejected: 0, results: [accepted('order-3-paid', 1), accepted('order-4-paid', 2)] },
      { id: 'order-5-paid' },
    ]);

    const received = (await receiver.has(5)).map((each) => JSON.parse(each.body) as { id: string });
    expect(received.map(({ id }) => id)).to.have.members([1, 3, 4, 5, 4711].map((order) => `order-${order}-paid`));
    expect(received.find(({ id }) => id === 'order-4711-paid')).to.deep.include({
      type: 'order.paid',
      orgId: service.orgId,
      flowId: 'order-4711',
      data: { total: 42 },
    });
  });
});
