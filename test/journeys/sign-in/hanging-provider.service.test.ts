import { expect } from 'chai';
import { type CraftedProvider, startCraftedProvider } from '../../access/providers/crafted-provider.js';
import { addPlatform, redirectUri } from '../../support/identity-provider/signing-in.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const slots = 20;

describe('an identity provider that does not answer', function () {
  this.timeout(60_000);
  let provider: CraftedProvider;
  let service: ServiceProcess;

  before(async () => {
    provider = await startCraftedProvider();
    const login = { issuer: provider.issuer, clientId: 'c', clientSecret: 'secret', organisation: 'acme' };
    service = await startService({
      environment: { LOGIN_PROVIDERS: JSON.stringify({ '*': login }), MAX_CONCURRENT_REQUESTS: String(slots) },
    });
  });
  after(async () => {
    await service.stop();
    await provider.close();
  });

  it('leaves slots for token requests, however many sign-ins are begun', async () => {
    const { clientId, clientSecret } = await addPlatform(service.dataDirectory);
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, response_type: 'code' });
    const begin = () => fetch(`${service.origin}/oauth2?${query}`, { redirect: 'manual' });
    await until(async () => (await begin()).status === 302, 'the platform to be known');
    const callback = await begun(await begin());
    provider.answers.set('/.well-known/openid-configuration', 'nothing');
    provider.answers.set('/token', 'nothing');
    for (const step of [callback, begin]) {
      const signIns = Array.from({ length: 3 * slots }, step);
      await Promise.race(signIns); // refused, since the others have taken all slots that they get
      const refresh = await fetch(`${service.origin}/refresh`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_id: clientId,
          client_secret: clientSecret,
        }),
      });
      expect(await refresh.json(), 'as for any wrong token').to.include({ error: 'invalid_grant' });
      for (const { status } of await Promise.all(signIns)) expect(status).to.be.oneOf([429, 503]);
    }
  });

  /** The provider's answer to a sign-in that was begun. */
  async function begun(redirect: Response): Promise<() => Promise<Response>> {
    const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const cookie = redirect.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const answer = new URLSearchParams({ code: 'x', state, iss: provider.issuer });
    return () => fetch(`${service.origin}/oauth2/callback?${answer}`, { headers: { cookie } });
  }
});
