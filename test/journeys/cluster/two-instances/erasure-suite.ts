import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { textsOf } from '../../../stores/event-store/eventstoredb/support.js';
import { type Receiver, startReceiver } from '../../../support/receivers-of-listeners/receiver.js';
import { runCli } from '../../../support/service/cli.js';
import { probe, publish, signIn, subscribe } from '../../../support/service/journey.js';
import { until } from '../../../support/until.js';
import type { TwoInstances } from './two-instances.js';

/** An organisation that one instance erases, and nothing has afterwards. */
export function erasureSuite({ cluster, instances }: TwoInstances): void {
  describe('erasing an organisation on several instances', function () {
    this.timeout(240_000);
    let receiver: Receiver;

    before(async () => {
      receiver = await startReceiver();
    });
    after(async () => {
      await receiver.close();
    });

    it('leaves nothing of it in any view, and in no event once there was a scavenge, and lets it come back', async () => {
      const [one, other] = instances();
      const authorization = `Bearer ${readFileSync(join(one.dataDirectory, 'admin-key.txt'), 'utf8').trim()}`;
      const get = async (path: string) =>
        (await other.fetch(`/admin/api${path}`, { headers: { authorization } })).body as { items: object[] };
      const orgId = 'goes';
      const tokens = await signIn(one, { orgId });
      const { listenerId } = await subscribe(one, `${receiver.origin}/goes`, { orgId });
      await subscribe(one, `${receiver.origin}/stays`, { orgId: 'stays' });
      for (const id of ['e-1', 'e-2']) await publish(other, { orgId, id, type: 'flow.done', data: id });
      await receiver.has(2);

      const { status, body } = await one.fetch('/admin/api/organisations/erase', {
        headers: { authorization },
        json: { orgId, confirm: orgId },
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include({ streams: 2, flowStreams: 2 });
      expect((await probe(other, tokens.access_token)).status).to.equal(401);
      await until(async () => (await get(`/listeners?orgId=${orgId}`)).items.length === 0, 'the view to forget it');
      expect(await get(`/deliveries?orgId=${orgId}`)).to.deep.include({ items: [] });
      expect((await get('/listeners?orgId=stays')).items).to.have.length(1);
      const rebuilt = await runCli(cluster().environment, 'views', 'rebuild', '--all');
      expect(rebuilt.code, rebuilt.stderr).to.equal(0);
      expect((await get(`/listeners?orgId=${orgId}`)).items).to.deep.equal([]);
      const verified = await runCli(cluster().environment, 'audit', 'verify');
      expect(verified.code, verified.stdout + verified.stderr).to.equal(0);

      const next = await subscribe(other, `${receiver.origin}/goes`, { orgId });
      expect(next.listenerId).not.to.equal(listenerId);
      await publish(one, { orgId, id: 'e-3', type: 'flow.done', data: 'again' });
      await receiver.has(3);
      expect((JSON.parse(receiver.received[2]?.body ?? '') as { id: string }).id).to.equal('e-3');
      const erased = await runCli(cluster().environment, 'orgs', 'erase', orgId, '--yes', orgId);
      expect(erased.code, erased.stderr).to.equal(0);
      expect(erased.stdout).to.include('1 stream and 1 stream of flow events');
      await until(
        async () => (await get(`/listeners?orgId=${orgId}`)).items.length === 0,
        'the view to forget it again',
      );

      expect(textsOf(cluster().eventStoreDb).some(({ text }) => text.includes(`"${orgId}"`))).to.equal(true);
      cluster().eventStoreDb.scavenge();
      const traces = textsOf(cluster().eventStoreDb).filter(({ text }) => /"goes"|\/goes"/.test(text));
      expect(traces).to.deep.equal([]);
      expect(await get('/set-aside')).to.deep.include({ items: [] });
      await subscribe(one, `${receiver.origin}/goes`, { orgId });
      await publish(other, { orgId, id: 'e-4', type: 'flow.done', data: 'behind a scavenge' });
      await receiver.has(4);
      const again = await runCli(cluster().environment, 'views', 'rebuild', 'listeners');
      expect(again.code, again.stderr).to.equal(0);
    });
  });
}
