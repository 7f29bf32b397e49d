import { expect } from 'chai';
import pino from 'pino';
import { type RemovalNotices, removalNotices } from '../../../src/deliveries/posting/removal-notice.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { type Receiver, startReceiver } from '../../support/hooks/receiver.js';

describe('telling a platform that its hook was removed', () => {
  let hook: Receiver;
  let logged: Record<string, unknown>[];
  let opened: RemovalNotices[];

  function notices({ allowLoopback = true, timeoutMs = 10_000, pausesMs = [20, 50] } = {}): RemovalNotices {
    const made = removalNotices({
      guard: targetGuard({ allowHttp: true, allowLoopback, allowedTargets: [] }),
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
      timeoutMs,
      pausesMs,
    });
    opened.push(made);
    return made;
  }
  const removed = (hookUrl: string) => ({ listenerId: 'l1', orgId: 'acme', hookUrl });
  const tell = (hookUrl: string, settings: Parameters<typeof notices>[0] = {}) =>
    notices(settings).tell(removed(hookUrl));
  const [info, warning] = [30, 40];

  beforeEach(async () => {
    hook = await startReceiver();
    logged = [];
    opened = [];
  });
  afterEach(async () => {
    for (const each of opened) await each.stop(0);
    await hook.close();
  });

  it('is a DELETE on the hook URL, and the log has what came of it, not the URL', async () => {
    await tell(`${hook.origin}/hooks/secret?key=1`);
    expect(hook.received.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      ['DELETE', '/hooks/secret?key=1', ''],
    ]);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: info, status: 200, attempts: 1, hookUrl: `${hook.origin}/…` });
    expect(JSON.stringify(logged)).not.to.include('secret');
  });

  it('is tried again where the platform cannot take it now', async () => {
    for (const status of [500, 503, 429]) {
      const before = hook.received.length;
      hook.answer(status);
      const telling = tell(`${hook.origin}/secret`, { pausesMs: [200, 200] });
      await hook.has(before + 1);
      hook.answer(200);
      expect(await telling).to.deep.equal({ status: 200, error: undefined });
      expect(hook.received).to.have.length(before + 2);
      expect(logged.at(-1)).to.include({ level: info, status: 200, attempts: 2 });
    }
  });

  it('is refused where it goes on so, which is a warning', async () => {
    hook.answer(503);
    expect(await tell(`${hook.origin}/secret`)).to.deep.equal({ status: 503, error: undefined });
    expect(hook.received).to.have.length(3);
    const pauses = hook.received.slice(1).map(({ at }, index) => at - (hook.received[index]?.at ?? 0));
    expect(pauses[0]).to.be.at.least(19);
    expect(pauses[1]).to.be.at.least(49);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({
      level: warning,
      status: 503,
      attempts: 3,
      hookUrl: `${hook.origin}/…`,
      msg: 'a platform refused to be told that its hook is removed',
    });
  });

  it('is not repeated where the platform refuses it for good', async () => {
    for (const status of [301, 400, 401, 404, 405]) {
      hook.answer(status);
      await tell(`${hook.origin}/secret`);
      expect(logged.at(-1)).to.include({ level: warning, status, attempts: 1 });
    }
    expect(hook.received).to.have.length(5);
  });

  it('is no warning where the hook is gone there already', async () => {
    hook.answer(410);
    await tell(`${hook.origin}/secret`);
    expect(logged[0]).to.include({ level: info, status: 410, attempts: 1 });
  });

  it('ends in time without an answer, after a few tries', async () => {
    hook.answer('nothing');
    await tell(`${hook.origin}/secret`, { timeoutMs: 200 });
    expect(hook.received).to.have.length(3);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: warning, error: 'timeout', attempts: 3 });
  });

  it('is tried again if no server listens', async () => {
    await hook.close();
    await tell(`${hook.origin}/secret`);
    expect(logged[0]).to.include({ level: warning, error: 'refused', attempts: 3 });
    hook = await startReceiver();
  });

  it('goes nowhere where no delivery would', async () => {
    await tell(`${hook.origin}/secret`, { allowLoopback: false });
    expect(hook.received).to.have.length(0);
    expect(logged[0]).to.include({ level: warning, error: 'target_not_allowed', attempts: 1 });
  });

  it('reaches all, however many hooks are removed at once', async () => {
    const { tell: tellEach } = notices();
    await Promise.all(Array.from({ length: 100 }, (_, index) => tellEach(removed(`${hook.origin}/${index}`))));
    expect(new Set(hook.received.map(({ path }) => path))).to.have.property('size', 100);
  });

  it('is waited for by a stop, and its further attempts too', async () => {
    const { tell: tellIt, stop } = notices({ pausesMs: [200, 200] });
    hook.answer(503);
    void tellIt(removed(`${hook.origin}/secret`));
    await hook.has(1);
    hook.answer(200);
    const started = performance.now();
    await stop(10_000);
    expect(performance.now() - started).to.be.lessThan(5_000);
    expect(logged.map(({ status }) => status)).to.deep.equal([200]);
  });

  it('is given up where a stop has no more time, and the log says so', async () => {
    const { tell: tellIt, stop } = notices();
    hook.answer('nothing');
    const telling = Array.from({ length: 30 }, () => tellIt(removed(`${hook.origin}/secret`)));
    await hook.has(20);
    const started = performance.now();
    await stop(100);
    expect(performance.now() - started).to.be.within(99, 2_000);
    expect(logged).to.have.length(30);
    for (const line of logged) expect(line).to.include({ level: warning, error: 'stopped' });
    expect(hook.received).to.have.length(20);
    await Promise.all(telling);
    expect(await tellIt(removed(`${hook.origin}/secret`))).to.have.property('error', 'stopped');
  });

  it('does not outlast a stop while it waits for its next attempt', async () => {
    const { tell: tellIt, stop } = notices({ pausesMs: [60_000] });
    hook.answer(503);
    void tellIt(removed(`${hook.origin}/secret`));
    await hook.has(1);
    await stop(200);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: warning, status: 503, attempts: 1 });
  });
});
