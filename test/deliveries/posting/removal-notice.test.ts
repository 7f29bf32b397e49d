import { expect } from 'chai';
import pino from 'pino';
import { type RemovalNotices, removalNotices } from '../../../src/deliveries/posting/removal-notice.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';

describe('notice a platform that its listener was removed', () => {
  let receiver: Receiver;
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
  const notify = (hookUrl: string, settings: Parameters<typeof notices>[0] = {}) =>
    notices(settings).notify(removed(hookUrl));
  const [info, warning] = [30, 40];

  beforeEach(async () => {
    receiver = await startReceiver();
    logged = [];
    opened = [];
  });
  afterEach(async () => {
    for (const each of opened) await each.stop(0);
    await receiver.close();
  });

  it('is a DELETE on the hook URL, and the log has the result, not the URL', async () => {
    await notify(`${receiver.origin}/hooks/secret?key=1`);
    expect(receiver.received.map(({ method, path, body }) => [method, path, body])).to.deep.equal([
      ['DELETE', '/hooks/secret?key=1', ''],
    ]);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: info, status: 200, attempts: 1, hookUrl: `${receiver.origin}/…` });
    expect(JSON.stringify(logged)).not.to.include('secret');
  });

  it('is tried again where the platform cannot take it now', async () => {
    for (const status of [500, 503, 429]) {
      const before = receiver.received.length;
      receiver.answer(status);
      const notice = notify(`${receiver.origin}/secret`, { pausesMs: [200, 200] });
      await receiver.has(before + 1);
      receiver.answer(200);
      expect(await notice).to.deep.equal({ status: 200, error: undefined });
      expect(receiver.received).to.have.length(before + 2);
      expect(logged.at(-1)).to.include({ level: info, status: 200, attempts: 2 });
    }
  });

  it('is refused where it goes on so, which is a warning', async () => {
    receiver.answer(503);
    expect(await notify(`${receiver.origin}/secret`)).to.deep.equal({ status: 503, error: undefined });
    expect(receiver.received).to.have.length(3);
    const pauses = receiver.received.slice(1).map(({ at }, index) => at - (receiver.received[index]?.at ?? 0));
    expect(pauses[0]).to.be.at.least(19);
    expect(pauses[1]).to.be.at.least(49);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({
      level: warning,
      status: 503,
      attempts: 3,
      hookUrl: `${receiver.origin}/…`,
      msg: 'a platform refused the notice of the removal of its listener',
    });
  });

  it('is not repeated where the platform refuses it for good', async () => {
    for (const status of [301, 400, 401, 404, 405]) {
      receiver.answer(status);
      await notify(`${receiver.origin}/secret`);
      expect(logged.at(-1)).to.include({ level: warning, status, attempts: 1 });
    }
    expect(receiver.received).to.have.length(5);
  });

  it('is no warning where the listener is gone there already', async () => {
    receiver.answer(410);
    await notify(`${receiver.origin}/secret`);
    expect(logged[0]).to.include({ level: info, status: 410, attempts: 1 });
  });

  it('ends in time without an answer, after a few tries', async () => {
    receiver.answer('nothing');
    await notify(`${receiver.origin}/secret`, { timeoutMs: 200 });
    expect(receiver.received).to.have.length(3);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: warning, error: 'timeout', attempts: 3 });
  });

  it('is tried again if no server listens', async () => {
    await receiver.close();
    await notify(`${receiver.origin}/secret`);
    expect(logged[0]).to.include({ level: warning, error: 'refused', attempts: 3 });
    receiver = await startReceiver();
  });

  it('goes nowhere where no delivery would', async () => {
    await notify(`${receiver.origin}/secret`, { allowLoopback: false });
    expect(receiver.received).to.have.length(0);
    expect(logged[0]).to.include({ level: warning, error: 'target_not_allowed', attempts: 1 });
  });

  it('reaches all, however many listeners are removed at once', async () => {
    const { notify: notifyEach } = notices();
    await Promise.all(Array.from({ length: 100 }, (_, index) => notifyEach(removed(`${receiver.origin}/${index}`))));
    expect(new Set(receiver.received.map(({ path }) => path))).to.have.property('size', 100);
  });

  it('is waited for by a stop, and its further attempts too', async () => {
    const { notify: notifyIt, stop } = notices({ pausesMs: [200, 200] });
    receiver.answer(503);
    void notifyIt(removed(`${receiver.origin}/secret`));
    await receiver.has(1);
    receiver.answer(200);
    await stop(10_000);
    expect(logged.map(({ status }) => status)).to.deep.equal([200]);
  });

  it('is given up where a stop has no more time, and the log says so', async () => {
    const { notify: notifyIt, stop } = notices();
    receiver.answer('nothing');
    const sent = Array.from({ length: 30 }, () => notifyIt(removed(`${receiver.origin}/secret`)));
    await receiver.has(20);
    await stop(100);
    expect(logged).to.have.length(30);
    for (const line of logged) expect(line).to.include({ level: warning, error: 'stopped' });
    expect(receiver.received).to.have.length(20);
    await Promise.all(sent);
    expect(await notifyIt(removed(`${receiver.origin}/secret`))).to.have.property('error', 'stopped');
  });

  it('does not outlast a stop while it waits for its next attempt', async () => {
    const { notify: notifyIt, stop } = notices({ pausesMs: [60_000] });
    receiver.answer(503);
    void notifyIt(removed(`${receiver.origin}/secret`));
    await receiver.has(1);
    await stop(200);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.include({ level: warning, status: 503, attempts: 1 });
  });
});
