import { expect } from 'chai';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import type { ListenerRequest, PostResult } from '../../src/deliveries/posting/post.js';
import type { ListenerDetails } from '../../src/events/listener-events.js';
import { givenSecret } from '../../src/listeners/signing-secret.js';
import { gapNotices } from '../../src/mcp/gaps.js';
import type { ListedDelivery } from '../../src/queue/delivery-log.js';
import { firstId, plainSubscription } from '../listeners/fixtures.js';

const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const subscriptionId = `sub_${'0'.repeat(32)}`;
const details: ListenerDetails = {
  listenerId: firstId,
  orgId: 'acme',
  userId: 'ada',
  hookUrl: `https://agent.example/hook#${subscriptionId}`,
  subscription: plainSubscription,
  secret: { ...givenSecret(keys, firstId, secret), version: 1, previous: null },
  failing: null,
  agent: { clientId: null, sessionId: null },
};

describe('the notice of a gap', () => {
  let deadLetters: Partial<ListedDelivery>[];
  let posted: ListenerRequest[];
  let result: PostResult;
  let notify: ReturnType<typeof gapNotices>;
  beforeEach(() => {
    deadLetters = [];
    posted = [];
    result = { kind: 'answered', status: 204 };
    notify = gapNotices({
      queue: { deliveries: async () => ({ deliveries: deadLetters as ListedDelivery[], next: undefined }) },
      masterKeys: keys,
      log: pino({ enabled: false }),
      async post(request) {
        posted.push(request);
        return result;
      },
    });
  });
  const refresh = () => notify(details, { since: 1_000, cursor: 'c1' });
  const ids = () => posted.map(({ headers }) => headers['webhook-id']);

  it('is signed with the secret of the agent, and has the cursor at which the host continues', async () => {
    deadLetters = [{ id: 'a-1', lastAttemptAt: 1_000 }];
    await refresh();
    const [{ headers, body } = { headers: {}, body: '' }] = posted;
    expect(new Webhook(secret).verify(body ?? '', headers)).to.eql({ type: 'gap', cursor: 'c1' });
    expect(headers).to.include({ 'webhook-id': 'msg_gap_a1', 'x-mcp-subscription-id': subscriptionId });
  });

  it('is not sent for what was given up before the last refresh, nor where nothing was', async () => {
    await refresh();
    deadLetters = [{ id: 'a', lastAttemptAt: 999 }, { id: 'b' }];
    await refresh();
    expect(posted).to.eql([]);
  });

  it('is one for all that was given up in between, under the ID of the latest', async () => {
    deadLetters = [
      { id: 'newer-event', lastAttemptAt: 1_001 },
      { id: 'retried', lastAttemptAt: 1_002 },
    ];
    await Promise.all([refresh(), refresh()]);
    await refresh();
    expect(ids()).to.eql(['msg_gap_retried']);
    deadLetters.push({ id: 'another', lastAttemptAt: 1_003 });
    await refresh();
    expect(ids()).to.eql(['msg_gap_retried', 'msg_gap_another']);
  });

  it('is sent again by the next refresh if the callback fails, and not if it refuses it', async () => {
    deadLetters = [{ id: 'a', lastAttemptAt: 1_000 }];
    result = { kind: 'answered', status: 503 };
    await refresh();
    result = { kind: 'failed', error: 'timeout' };
    await refresh();
    result = { kind: 'answered', status: 400 };
    for (let count = 0; count < 3; count += 1) await refresh();
    expect(ids()).to.eql(Array(3).fill('msg_gap_a'));
  });
});
