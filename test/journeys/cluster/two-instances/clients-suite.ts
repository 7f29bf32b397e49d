import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../../src/access/clients/client-registry.js';
import { runCliForJson } from '../../../support/service/cli.js';
import { probe, type Tokens } from '../../../support/service/journey.js';
import { type Authorization, platform } from '../../../support/service/platform.js';
import type { TwoInstances } from './two-instances.js';

const redirectUri = 'https://platform.example/callback';

/** Clients that one process registers, rotates or removes, and both instances know. Clients are mandatory afterwards. */
export function clientsSuite({ cluster, instances }: TwoInstances): void {
  describe('clients on several instances', function () {
    this.timeout(600_000);

    /** The registry's memory of every instance is filled first, so that the change has to replace it. */
    async function change(...args: readonly string[]): Promise<string> {
      await Promise.all(instances().map((each) => each.fetch('/refresh', { form: { grant_type: 'refresh_token' } })));
      const [changed] = await runCliForJson(cluster().environment, 'clients', ...args);
      await pause(clientMemoryMs);
      return (changed as { clientSecret?: string }).clientSecret ?? '';
    }

    it('are known, rotated and removed on each of them within half a second', async () => {
      const [one, other] = instances();
      if (!one || !other) throw new Error('two instances');
      const platformWith = (clientSecret: string) =>
        platform(
          one,
          { clientId: 'zapier', clientSecret, redirectUri },
          { credentials: 'body', encoding: 'form', pkce: true },
        );
      const onEach = async (secret: string, authorizations?: readonly Authorization[]) =>
        Promise.all(
          instances().map(async (instance, index) => {
            const its = platformWith(secret);
            const { status } = await its.exchange(authorizations?.[index] ?? (await its.authorise()), instance);
            return status;
          }),
        );

      const first = await change('add', '--id', 'zapier', '--name', 'Zapier', '--redirect-uri', redirectUri);
      expect(await onEach(first), 'a new client').to.deep.equal([200, 200]);
      expect(await onEach('wrong'), 'a wrong secret').to.deep.equal([401, 401]);

      const second = await change('rotate-secret', 'zapier');
      expect(await onEach(first), 'the previous secret').to.deep.equal([200, 200]);
      expect(await onEach(second), 'the new secret').to.deep.equal([200, 200]);
      await change('end-previous-secret', 'zapier');
      expect(await onEach(first), 'the ended secret').to.deep.equal([401, 401]);

      const its = platformWith(second);
      const { access_token, refresh_token } = await its.connect();
      const answers = await Promise.all([one, other, one].map((each) => its.refresh(refresh_token, each)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => (body as Tokens).refresh_token)).size).to.equal(1);

      const authorization = await its.authorise();
      const exchanges = await Promise.all([one, other, one].map((each) => its.exchange(authorization, each)));
      expect(exchanges.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      const [firstOfCode, ...repeats] = exchanges.map(({ body }) => body as Tokens);
      for (const { refresh_token: same } of repeats) expect(same).to.equal(firstOfCode?.refresh_token);
      expect((await its.refresh(firstOfCode?.refresh_token ?? '')).status).to.equal(200);

      await change('add', '--id', 'make', '--name', 'Make', '--redirect-uri', redirectUri); // so that clients stay mandatory
      const begun = await Promise.all(instances().map(() => its.authorise()));
      await change('remove', 'zapier');
      expect(await onEach(second, begun), 'a removed client').to.deep.equal([401, 401]);
      const probes = await Promise.all(instances().map((each) => probe(each, access_token)));
      expect(
        probes.map(({ status }) => status),
        'its access tokens',
      ).to.deep.equal([401, 401]);
    });
  });
}
