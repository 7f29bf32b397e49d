import { expect } from 'chai';
import pino from 'pino';
import { removalNotices } from '../../src/deliveries/removal-notice.js';
import { targetGuard } from '../../src/deliveries/target-guard.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

describe('telling a platform that its hook was removed', () => {
  let hook: Receiver;
  let logged: Record<string, unknown>[];

  const tell = (hookUrl: string, { allowLoopback = true, timeoutMs = 10_000 } = {}) =>
    removalNotices({
      guard: targetGuard({ allowHttp: true, allowLoopback, allowedTargets: [] }),
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
      timeoutMs,
    })({ listenerId: 'l1', orgId: 'acme', hookUrl });

  beforeEach(async () => {
    hook = await startReceiver();
    logged = [];
  });
  afterEach(() => hook.close());

  it('is a DELETE on the hook URL, and the log has what came of it, not the URL', async () => {
    await tell(`${hook.origin}/hooks/secret?key=1`);
    expect(hook.received.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      ['DELETE', '/hooks/secret?key=1', ''],
    ]);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ status: 200, hookUrl: `${hook.origin}/…` });
  });

  it('ends in time where nobody answers, and is not tried again', async () => {
    hook.answer('nothing');
    await tell(`${hook.origin}/secret`, { timeoutMs: 500 });
    expect(hook.received).to.have.length(1);
    expect(logged[0]).to.include({ error: 'timeout', level: 40 });
  });

  it('goes nowhere where no delivery would', async () => {
    await tell(`${hook.origin}/secret`, { allowLoopback: false });
    expect(hook.received).to.have.length(0);
    expect(logged[0]).to.include({ error: 'target_not_allowed' });
  });
});
