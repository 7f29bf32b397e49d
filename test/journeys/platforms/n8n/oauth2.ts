import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { accessTokenTtlMs, type Credential, type GivenN8n } from '../../../support/n8n/given-n8n.js';
import { runCliForJson } from '../../../support/service/cli.js';

/** The tests of the OAuth2 credential, through the development page of the service. */
export function oauth2Tests(given: GivenN8n): void {
  const { get, service, n8n, owner, listeners, trigger, action, run } = given;
  describe('the OAuth2 credential', () => {
    let connected: Credential;

    it('connects through the sign-in of the service', async () => {
      const redirectUri = `${n8n().origin}/rest/oauth2-credential/callback`;
      const [client] = (await runCliForJson(
        service().dataDirectory,
        ...['clients', 'add', '--id', 'n8n', '--name', 'n8n', '--redirect-uri', redirectUri],
        ...['--scope', 'listeners', 'flows:publish'],
      )) as readonly { clientSecret: string }[];
      const data = { baseUrl: service().origin, hooksPrefix: '/api/hooks', clientId: 'n8n' };
      connected = await owner().credential('flowHooksOAuth2Api', { ...data, clientSecret: client?.clientSecret });
      const address = await owner().ask<string>('GET', `/rest/oauth2-credential/auth?id=${connected.id}`);
      expect(address.startsWith(`${service().origin}/oauth2?`)).to.equal(true);
      const page = await fetch(address);
      const request = Object.fromEntries(new URL(page.url).searchParams);
      const { headers } = await service().fetch('/sign-in', { form: { ...request, user_id: 'grace', org_id: 'acme' } });
      const callback = headers.get('location') ?? '';
      expect(callback.startsWith(redirectUri)).to.equal(true);
      expect(await owner().ask<string>('GET', callback.slice(n8n().origin.length))).to.include('success');
      expect(await owner().testCredential(connected.id, 'flowHooksOAuth2Api', data)).to.include({ status: 'OK' });
    });

    it('registers listeners as its user, and refreshes its tokens at the token endpoint', async () => {
      const sessions = async () => JSON.stringify((await get('/sessions?orgId=acme')).body);
      const signedIn = await sessions();
      await pause(accessTokenTtlMs + 500);
      const workflow = await owner().workflow(
        trigger({ authentication: 'oAuth2', subscriptionType: 'order.*' }, { flowHooksOAuth2Api: connected }),
      );
      await owner().activate(workflow);
      expect((await listeners())[0]).to.include({ state: 'active', userId: 'grace' });
      expect(await sessions(), 'n8n has refreshed the tokens').not.to.equal(signedIn);
      await pause(accessTokenTtlMs + 500);
      const publishing = action(
        {
          authentication: 'oAuth2',
          resource: 'flowEvent',
          operation: 'publish',
          type: 'order.paid',
          data: '{"total":1}',
        },
        { credentials: { flowHooksOAuth2Api: connected } },
      );
      const { items } = await run({}, publishing);
      expect(items[0], JSON.stringify(items)).to.have.property('id');
      expect((await owner().executions(workflow, 1))[0]?.output[0]).to.deep.include({
        id: items[0]?.id,
        data: { total: 1 },
      });
      await owner().deactivate(workflow);
      expect(await listeners()).to.deep.equal([]);
    });
  });
}
