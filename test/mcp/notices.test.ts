import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { pino } from 'pino';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { postThrough } from '../../src/deliveries/posting/post.js';
import { targetGuard } from '../../src/deliveries/target-guard/target-guard.js';
import { givenSecret } from '../../src/listeners/signing-secret.js';
import { callbackPools, terminationNotices } from '../../src/mcp/callbacks.js';
import { firstId, plainSubscription } from '../listeners/fixtures.js';
import { serve } from '../support/serve.js';

const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('the notices of the end of subscriptions', function () {
  this.timeout(60_000);

  it('reach one host that answers slowly, for many subscriptions at once', async () => {
    const many = 20;
    const waiting: ServerResponse[] = [];
    const server = await serve((response) => {
      waiting.push(response);
      if (waiting.length === many) for (const each of waiting) each.writeHead(204).end();
    });
    const pools = callbackPools(targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] }).connect);
    const post = postThrough(pools);
    const notify = terminationNotices({
      post: (request) => post({ ...request, timeoutMs: 50_000 }), // the usual ones are short for a busy machine
      masterKeys: keys,
      eventNumbering: 'sketch',
      log: pino({ enabled: false }),
    });
    const ended = Array.from({ length: many }, (_, number) =>
      notify({
        listenerId: firstId,
        orgId: 'acme',
        userId: 'ada',
        hookUrl: `${server.origin}/hook#sub_${`${number}`.padStart(32, '0')}`,
        subscription: plainSubscription,
        secret: { ...givenSecret(keys, firstId, secret), version: 1, previous: null },
        failing: null,
        agent: { clientId: null, sessionId: null },
      }),
    );
    expect(await Promise.all(ended)).to.eql(Array(many).fill(true));
    await pools.destroy();
    await server.close();
  });
});
