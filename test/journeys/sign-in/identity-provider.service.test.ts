import { expect } from 'chai';
import {
  answerOf,
  exchange,
  linkOf,
  logIn,
  newBrowser,
  openSignInPlace,
  type SignInPlace,
} from '../../support/identity-provider/signing-in.js';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import type { Subscription } from '../../support/service/journey.js';
import { until } from '../../support/until.js';

describe('sign-in with an identity provider', function () {
  this.timeout(120_000);
  let place: SignInPlace;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    place = await openSignInPlace();
  });
  after(async () => {
    await place.stop();
    await receiver.close();
  });

  it('leads from /oauth2 over login, choice of an organisation and consent to deliveries', async () => {
    const browser = newBrowser();
    const choice = await logIn(browser, await browser.open(linkOf(place)), 'ada');
    expect(choice.html).to.include('Choose an organisation').and.to.include('Ada &lt;Lovelace&gt;');
    expect(choice.html).to.include('value="acme"').and.to.include('Acme &amp; Sons').and.to.include('Globex');
    const consent = await browser.submit(choice, { organisation: 'globex' });
    expect(consent.html).to.include('Connect Zap &amp; Co?').and.to.include('In Globex,');
    expect(consent.html).to.include('registering listeners').and.to.include('publish flow events');
    const { code = '', ...answer } = answerOf(await browser.submit(consent, { decision: 'allow' }));
    expect(answer).to.deep.equal({ kept: '1', state: 'a b&c=d+é', iss: place.service().origin });
    const left = [...browser.cookiesFor(place.service().origin).keys()].filter((name) => name.startsWith('sign-in-'));
    expect(left).to.deep.equal([]);

    expect(await exchange(place, code, { code_verifier: 'x'.repeat(43) })).to.include({ status: 400 });
    expect(await exchange(place, code, { redirect_uri: 'https://platform.example/' })).to.include({ status: 400 });
    expect(await exchange(place, code, { client_secret: 'x'.repeat(43) })).to.include({ status: 401 });
    const { status, body } = await exchange(place, code);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ user_id: 'ada', org_id: 'globex' });
    await deliver((body as { access_token: string }).access_token);
    const again = await exchange(place, code);
    const tokenOf = (answer: unknown) => (answer as { refresh_token: string }).refresh_token;
    expect(tokenOf(again.body), 'the same code again, by the same client').to.equal(tokenOf(body));
  });

  async function deliver(accessToken: string): Promise<void> {
    const headers = { authorization: `Bearer ${accessToken}`, orgid: 'globex', userid: 'ada' };
    const subscribed = await place.service().fetch('/api/hooks/subscribe/flows', {
      headers,
      json: { hookUrl: `${receiver.origin}/hook`, subscriptionType: 'flow.*' },
    });
    expect(subscribed.status, JSON.stringify(subscribed.body)).to.equal(201);
    const published = await place
      .service()
      .fetch('/api/flows', { headers, json: { type: 'flow.done', data: { n: 1 } } });
    expect(published.status, JSON.stringify(published.body)).to.equal(202);
    const [delivery] = await receiver.has(1);
    if (!delivery) throw new Error('nothing came');
    verify(delivery, (subscribed.body as Subscription).signingSecret);
    expect(JSON.parse(delivery.body)).to.deep.include({ orgId: 'globex', type: 'flow.done', data: { n: 1 } });
  }

  it('asks for consent once, and not for an organisation if the account has only one', async () => {
    const first = newBrowser();
    const consent = await logIn(first, await first.open(linkOf(place)), 'bob');
    expect(consent.html).to.include('In acme,');
    expect(answerOf(await first.submit(consent, { decision: 'allow' }))).to.have.property('code');
    const second = newBrowser();
    expect(answerOf(await logIn(second, await second.open(linkOf(place)), 'bob'))).to.have.property('code');
  });

  it('asks again after an operator has withdrawn the consent, which the history shows', async () => {
    const { dataDirectory } = place.service();
    const [consent] = await runCliForJson(dataDirectory, 'consents', 'list', '--org', 'acme', '--user', 'bob');
    expect(consent).to.include({ state: 'granted', userId: 'bob', clientId: place.platform.clientId });
    const { consentId } = consent as { consentId: string };
    expect((await runCli(dataDirectory, 'consents', 'withdraw', consentId)).stdout).to.include('is withdrawn');
    const browser = newBrowser();
    const asked = await logIn(browser, await browser.open(linkOf(place)), 'bob');
    const refused = answerOf(await browser.submit(asked, { decision: 'deny' }));
    expect(refused).to.include({ error: 'access_denied', error_description: 'the user did not agree' });
    const history = await runCliForJson(dataDirectory, 'audit', 'history', '--org', 'acme', '--user', 'bob');
    const types = history.map((entry) => (entry as { type: string }).type);
    expect(types).to.deep.equal(['ConsentGranted', 'ConsentWithdrawn']);
  });

  it('lists and withdraws consents in the admin API too', async () => {
    const admin = administratorOf(place.service);
    const list = async (query: string) =>
      ((await admin.get(`/consents?${query}`)).body as { items: { consentId: string; state: string }[] }).items;
    const [globex] = await list('orgId=globex&userId=ada');
    expect(globex).to.include({ state: 'granted', clientId: place.platform.clientId });
    expect(await list('orgId=acme')).to.have.length(1);
    expect(await list('orgId=acme&userId=ada')).to.deep.equal([]);
    const withdraw = (id: string) => admin.post(`/consents/${id}/withdraw`);
    const { status, body } = await withdraw(globex?.consentId ?? '');
    expect(status).to.equal(200);
    expect(body).to.deep.include({ state: 'withdrawn', changed: ['ConsentWithdrawn'] });
    expect((await withdraw(globex?.consentId ?? '')).body).to.deep.include({ changed: [] });
    expect(await withdraw('00000000-0000-4000-8000-000000000000')).to.include({ status: 404 });
    expect(await withdraw('x')).to.include({ status: 400 });
  });

  it('continues at each step after a restart of the service', async () => {
    const browser = newBrowser();
    const login = await browser.open(linkOf(place));
    await place.restartService();
    const choice = await logIn(browser, login, 'ada');
    await place.restartService();
    const consent = await browser.submit(choice, { organisation: 'acme' });
    await place.restartService();
    const { code = '' } = answerOf(await browser.submit(consent, { decision: 'allow' }));
    await place.restartService();
    expect(await exchange(place, code)).to.include({ status: 200 });
  });

  it('keeps sign-ins in several tabs apart', async () => {
    const browser = newBrowser();
    const logins = [];
    for (const state of ['one', 'two']) logins.push(await browser.open(linkOf(place, { state })));
    const choices = [];
    for (const login of logins) choices.push(await logIn(browser, login, 'ada'));
    const consents = [];
    for (const choice of choices) consents.push(await browser.submit(choice, { organisation: 'initech' }));
    const answers = await Promise.all(consents.map((consent) => browser.submit(consent, { decision: 'allow' })));
    expect(answers.map((page) => answerOf(page).state)).to.deep.equal(['one', 'two']);
  });

  it('tells the platform that the user refused at the provider', async () => {
    const browser = newBrowser();
    const login = await browser.open(linkOf(place));
    const aborted = await browser.open(`${login.url.href}/abort`);
    expect(answerOf(aborted)).to.include({
      error: 'access_denied',
      state: 'a b&c=d+é',
      iss: place.service().origin,
    });
  });

  it('says that an account has no organisation, and the user can cancel or sign in with another one', async () => {
    const browser = newBrowser();
    const refused = await logIn(browser, await browser.open(linkOf(place)), 'eve');
    expect(refused.html).to.include('the account belongs to no organisation');
    expect(answerOf(await browser.submit(refused, { decision: 'cancel' }))).to.include({
      error: 'access_denied',
      error_description: 'the account belongs to no organisation',
      state: 'a b&c=d+é',
      iss: place.service().origin,
    });
    const again = await browser.open(linkOf(place));
    expect(again.html, 'the provider signs in the same account by itself').to.include('belongs to no organisation');
    const login = await browser.submit(again, { decision: 'another' });
    const choice = await logIn(browser, login, 'ada');
    const { code = '' } = answerOf(await browser.submit(choice, { organisation: 'acme' })); // agreed to before
    expect(await exchange(place, code)).to.include({ status: 200 });
  });

  it('believes new keys of the provider at once', async () => {
    await place.provider.restart();
    const browser = newBrowser();
    const page = await logIn(browser, await browser.open(linkOf(place)), 'ada');
    expect(page.html).to.include('Choose an organisation');
  });

  it('shows a page while the provider is down, and is ready for all other requests', async () => {
    const callback = `${place.service().origin}/oauth2/callback`;
    const browser = newBrowser(callback);
    const { url } = await logIn(browser, await browser.open(linkOf(place)), 'ada');
    expect(url.href).to.include(callback);
    await place.provider.stop();
    for (const page of [await browser.open(url), await browser.open(linkOf(place))]) {
      expect(page.status, page.html).to.equal(503);
      expect(Number(page.headers.get('retry-after'))).to.be.above(0);
      expect(page.html).to.include('The identity provider cannot be reached now');
    }
    const { status, body } = await place.service().fetch('/readyz');
    expect(status).to.equal(200);
    const parts = (body as { parts: { part: string }[] }).parts;
    expect(parts.find(({ part }) => part === `identity provider ${place.provider.issuer}`)).to.include({
      ready: false,
      required: false,
      reason: 'the server refuses connections: is it running?',
    });
    await place.provider.restart();
    const isTriedAgain = async () => (await newBrowser().open(linkOf(place))).status === 200;
    await until(isTriedAgain, 'the failure to be forgotten, after five seconds');
    const later = newBrowser();
    const page = await logIn(later, await later.open(linkOf(place)), 'ada');
    expect(page.html).to.include('Choose an organisation');
  });
});
