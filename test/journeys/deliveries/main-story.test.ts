import { expect } from 'chai';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { orgIdOf, probe, publish, refresh, signIn, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type RunningService, type ServiceProcess, startService } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

for (const restart of [false, true]) {
  describe(`the whole story${restart ? ', with restarts in the middle' : ''}`, () => {
    let service: RunningService;
    let own: ServiceProcess | undefined;
    let receiver: Receiver;

    before(async () => {
      receiver = await startReceiver();
      service = restart ? await start() : await sharedService();
    });
    after(async () => {
      await own?.stop();
      await receiver.close();
    });

    const dataDirectory = temporaryDirectory();
    const start = async () => {
      own = await startService({ dataDirectory });
      return own;
    };
    const perhapsRestart = async () => {
      if (!own) return;
      const { code } = await own.stop('SIGTERM');
      expect(code).to.equal(0);
      service = await start();
    };

    it('signs in, delivers signed events to a listener, and is silent after it has gone', async () => {
      const tokens = await signIn(service);
      const hookUrl = `${receiver.origin}/hooks/1`;
      const { listenerId, signingSecret } = await subscribe(service, hookUrl);
      await perhapsRestart();
      expect(await probe(service, tokens.access_token)).to.deep.include({ status: 200, body: { success: 1 } });
      expect(await subscribe(service, hookUrl)).to.include({ listenerId, signingSecret });

      const id = await publish(service, { type: 'flow.completed', data: { total: 42, note: 'Ærø' } });
      const [delivery] = await receiver.has(1);
      if (!delivery) throw new Error('nothing came');
      verify(delivery, signingSecret);
      expect(JSON.parse(delivery.body)).to.deep.include({
        id,
        type: 'flow.completed',
        orgId: orgIdOf(service),
        data: { total: 42, note: 'Ærø' },
      });

      await perhapsRestart();
      const { status, body } = await unsubscribe(service, hookUrl);
      expect(status).to.equal(200);
      expect(body).to.include({ success: true });

      await publish(service, { type: 'flow.completed', data: {} });
      const other = `${receiver.origin}/hooks/2`;
      await subscribe(service, other);
      await publish(service, { type: 'flow.completed', data: {} });
      await receiver.has(2);
      expect(receiver.received.map(({ path }) => path)).to.eql(['/hooks/1', '/hooks/2']);

      const rotated = await refresh(service, tokens.refresh_token);
      expect(rotated.status).to.equal(200);
      expect(await unsubscribe(service, hookUrl)).to.include({ status: 200 });
    });
  });
}
