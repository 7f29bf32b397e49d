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
    const { notify, close } = await noticesTo((response) => {
      waiting.push(response);
      if (waiting.length === many) for (const each of waiting) each.writeHead(204).end();
    });
    expect(await Promise.all(Array.from({ length: many }, () => notify('acme')))).to.eql(Array(many).fill(true));
    await close();
  });

  it('of another organisation wait for one of those that hang, not for all', async () => {
    const slots = 20;
    const hanging: ServerResponse[] = [];
    let taken = 0;
    const { notify, received, close } = await noticesTo((response) => {
      taken += 1;
      hanging.push(response);
      if (taken >= slots) for (const each of hanging.splice(0)) each.writeHead(204).end();
    });
    const notices = Array.from({ length: 5 * slots }, () => notify('hanging'));
    await Promise.all([...notices, notify('acme')]);
    expect(received.findIndex(({ path }) => path === '/acme')).to.be.within(slots - 1, 2 * slots);
    await close();
  });
});

/** Notices for organisations, each of another subscription, to a host. */
async function noticesTo(answer: (response: ServerResponse) => void) {
  const server = await serve(answer);
  const pools = callbackPools(targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] }).connect);
  const post = postThrough(pools);
  const notifyTerminated = terminationNotices({
    post: (request) => post({ ...request, timeoutMs: 50_000 }), // the usual ones are short for a busy machine
    masterKeys: keys,
    eventNumbering: 'sketch',
    log: pino({ enabled: false }),
  });
  return {
    received: server.received,
    notify: (orgId: string) =>
      notifyTerminated({
        listenerId: firstId,
        orgId,
        userId: 'ada',
        hookUrl: `${server.origin}/${orgId}#sub_${'0'.repeat(32)}`,
        subscription: plainSubscription,
        secret: { ...givenSecret(keys, firstId, secret), version: 1, previous: null },
        failing: null,
        agent: { clientId: null, sessionId: null },
      }),
    async close() {
      await pools.destroy();
      await server.close();
    },
  };
}
