import { expect } from 'chai';
import type { KeyEntry } from '../../../../src/admin/keys/list-keys.js';
import { startReceiver, verify } from '../../../support/receivers-of-listeners/receiver.js';
import { runCliForJson } from '../../../support/service/cli.js';
import { probe, publish, refresh, signIn, subscribe } from '../../../support/service/journey.js';
import { until } from '../../../support/until.js';
import { generationOf, kidOf, published } from '../../keys/rotation.js';
import type { TwoInstances } from './two-instances.js';

/** Keys that one process rotates, and both instances use. */
export function keyRotationSuite({ cluster, instances }: TwoInstances): void {
  describe('rotating keys while two instances run, on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    it('publishes a new signing key on both before it signs, and uses it and a new master key on both after a time', async () => {
      const receiver = await startReceiver();
      const [one, other] = instances();
      const old = await signIn(one);
      const rotate = (kind: string, after: string) =>
        runCliForJson(cluster().environment, 'keys', 'rotate', kind, '--after', after);
      const [{ id: newKid }] = (await rotate('signing', '20s')) as readonly [KeyEntry];
      await rotate('master', '10s');
      for (const each of [one, other]) {
        await until(async () => (await published(each)).includes(newKid), 'the new key to be published');
        expect(kidOf(await signIn(each))).to.equal(kidOf(old));
      }
      let tokens = old;
      const signsWithNewKeys = async () => {
        tokens = await signIn(one);
        return kidOf(tokens) === newKid && generationOf(tokens) === 'g2';
      };
      await until(signsWithNewKeys, 'tokens of the new keys', { everyMs: 500 });
      for (const { access_token } of [old, tokens]) expect((await probe(other, access_token)).status).to.equal(200);
      expect((await refresh(other, tokens.refresh_token)).status).to.equal(200);
      const { signingSecret } = await subscribe(one, `${receiver.origin}/hook`);
      await publish(other, { type: 'flow.completed', data: {} });
      for (const delivery of await receiver.has(1)) verify(delivery, signingSecret);
      await receiver.close();
    });
  });
}
