import { expect } from 'chai';
import { runCliForJson } from '../../../support/service/cli.js';
import { probe, refresh, signIn } from '../../../support/service/journey.js';
import type { ServiceProcess } from '../../../support/service/service.js';
import type { TwoInstances } from './two-instances.js';

/** Sessions that one instance ends, and the other knows. */
export function sessionsSuite({ cluster, instances }: TwoInstances): void {
  describe('revoking sessions on several instances', function () {
    this.timeout(240_000);

    /** Begins a session of which each instance has just checked an access token and refreshed. */
    async function begin(one: ServiceProcess, userId: string) {
      const { refresh_token } = await signIn(one, { orgId: 'acme', userId });
      let tokens = { access_token: '', refresh_token };
      for (const instance of instances()) {
        tokens = (await refresh(instance, tokens.refresh_token)).body as typeof tokens;
        expect((await probe(instance, tokens.access_token)).status).to.equal(200);
      }
      return tokens;
    }
    async function expectRefused({ access_token, refresh_token }: { access_token: string; refresh_token: string }) {
      const probes = await Promise.all(instances().map((each) => probe(each, access_token)));
      expect(probes.map(({ status }) => status)).to.eql([401, 401]);
      const refreshes = await Promise.all(instances().map((each) => refresh(each, refresh_token)));
      expect(refreshes.map(({ status }) => status)).to.eql([400, 400]);
    }

    it('refuses their tokens on each of them, at the first check after the answer', async () => {
      const [one, other] = instances();
      if (!one || !other) throw new Error('two instances');
      const byHolder = await begin(one, 'ada');
      expect((await other.fetch('/revoke', { form: { token: byHolder.refresh_token } })).status).to.equal(200);
      await expectRefused(byHolder);

      const byOperator = await begin(other, 'bob');
      expect(await runCliForJson(cluster().environment, 'sessions', 'revoke', '--user', 'bob')).to.have.length(1);
      await expectRefused(byOperator);
      const states = await runCliForJson(cluster().environment, 'sessions', 'list', '--org', 'acme', '--user', 'ada');
      expect(states).to.have.length(1);
    });
  });
}
