import { expect } from 'chai';
import { consolePages } from '../../support/console/pages.js';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { publish, type Subscription, subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

describe('the actions of a listener in the console', () => {
  let service: SharedService;
  let receiver: Receiver;
  let listener: Subscription;
  let number = 0;
  const pages = consolePages(() => service);
  const admin = administratorOf(() => service);

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    number += 1;
    listener = await subscribe(service, `${receiver.origin}/hook-${number}`);
  });
  afterEach(async () => {
    await admin.post(`/listeners/${listener.listenerId}/unsubscribe`);
    await receiver.close();
  });

  const page = (path = '') => pages.get(`/listeners/${listener.listenerId}${path}`);
  const act = (action: string, form = {}) => pages.post(`/listeners/${listener.listenerId}/${action}`, form);
  const shown = async () => (await admin.get(`/listeners/${listener.listenerId}`)).body as Record<string, unknown>;

  it('pauses it, says how many deliveries are held, and resumes it with them', async () => {
    const paused = await act('pause');
    expect([paused.status, paused.location]).to.deep.equal([
      303,
      `/console/listeners/${listener.listenerId}?notice=listeners-pause`,
    ]);
    expect((await page('?notice=listeners-pause')).html)
      .to.include('The listener is paused')
      .and.include('Resume');
    expect(await shown()).to.include({ state: 'paused', pausedBy: 'operator' });
    await publish(service, { type: 'flow.one', data: {} });
    await until(async () => (await shown()).held === 1, 'the held delivery');
    expect((await page('/resume')).html).to.include('1 delivery is held');
    expect(receiver.received).to.have.length(0);

    expect((await act('resume', { redeliverHeld: 'true' })).location).to.include('listeners-resume-held');
    await receiver.has(1);
    expect(await shown()).to.include({ state: 'active', pausedBy: null, held: 0 });
    const timeline = (await page()).html;
    expect(timeline).to.include('Resumed').and.include('Paused').and.include('admin:development');
  });

  it('resumes it without held deliveries, and delivers those later', async () => {
    await act('pause');
    await publish(service, { type: 'flow.one', data: {} });
    await until(async () => (await shown()).held === 1, 'the held delivery');
    expect((await act('resume')).location).to.match(/listeners-resume$/);
    expect(await shown()).to.include({ state: 'active', held: 1 });
    expect((await page()).html).to.include('Deliver held');
    await act('resume', { redeliverHeld: 'true' });
    await receiver.has(1);
  });

  it('tries it now where it fails and a delivery waits for its next attempt, though its circuit is closed', async () => {
    expect((await page()).html).not.to.include('Try now');
    receiver.answer(503);
    await publish(service, { type: 'flow.one', data: {} });
    await until(async () => (await page()).html.includes('Try now'), 'the failure');
    receiver.answer(200);
    expect((await act('try-now')).location).to.include('listeners-try-now');
    await until(async () => !(await page()).html.includes('Try now'), 'the success');
    expect(receiver.received).to.have.length(2);
    expect((await page()).html).to.include('Tried again');
  });

  it('sends a test, and shows its result', async () => {
    const succeeded = await act('test');
    expect(succeeded.status).to.equal(200);
    expect(succeeded.html).to.include('The listener accepted it.').and.include('200');
    expect(verify((await receiver.has(1))[0] as never, listener.signingSecret)).to.be.an('object');
    receiver.answer(404);
    expect((await act('test')).html)
      .to.include('did not accept it')
      .and.include('404');
  });

  it('rotates its secret, which is shown once and signs from then on', async () => {
    expect((await page('/rotate-secret')).html)
      .to.include('shown once')
      .and.include('value="1"');
    const rotated = await act('rotate-secret', { overlapHours: '2', replaces: '1' });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(rotated.html)?.[0] ?? '';
    expect(secret)
      .to.match(/^whsec_/)
      .and.not.to.equal(listener.signingSecret);
    expect((await page()).html).not.to.include('whsec_');
    await publish(service, { type: 'flow.one', data: {} });
    const [received] = await receiver.has(1);
    for (const each of [secret, listener.signingSecret]) expect(verify(received as never, each)).to.be.an('object');

    // The form was sent a second time.
    const again = await act('rotate-secret', { overlapHours: '2', replaces: '1' });
    expect(again.html).to.include('nothing changed').and.include(secret.replaceAll('&', '&amp;'));
    expect(await shown()).to.include({ secretVersion: 2 });
    expect((await act('rotate-secret', { overlapHours: 'many' })).status).to.equal(400);
  });

  it('changes order and rate, of a paused listener too', async () => {
    await act('pause');
    expect((await act('options', { ordered: 'true', ratePerSecond: '2.5' })).location).to.include('listeners-options');
    expect(await shown()).to.include({ state: 'paused', ordered: true, ratePerSecond: 2.5 });
    const { html } = await page();
    expect(html)
      .to.include('One at a time, in order')
      .and.include('At most 2.5 a second')
      .and.include('Subscription changed');
    await act('options', { ratePerSecond: '' });
    expect(await shown()).to.include({ ordered: false, ratePerSecond: null });
    const refused = await act('options', { ratePerSecond: '-1' });
    expect(refused.status).to.equal(400);
    expect(refused.html).to.include('must be a number');
  });

  it('removes it after a confirmation that states the consequences', async () => {
    const { html } = await page('/unsubscribe');
    expect(html).to.include('cannot be undone').and.include('waiting and held deliveries are cancelled');
    expect(await shown()).to.include({ state: 'active' });
    expect((await act('unsubscribe')).location).to.include('listeners-unsubscribe');
    expect(await shown()).to.include({ state: 'ended', endReason: 'operator' });
    const ended = (await page()).html;
    expect(ended).to.include('nothing is sent to it any more').and.not.to.include('/unsubscribe"');
    await publish(service, { type: 'flow.one', id: 'after-removal', data: {} });
    await until(async () => (await page('/explain?eventId=after-removal')).html.includes('was not registered'), 'it');
    expect(receiver.received).to.have.length(0);
    expect((await act('pause')).status).to.equal(404);
  });

  it('explains why it got an event, or did not', async () => {
    await publish(service, { type: 'flow.one', id: 'wanted', data: {} });
    await publish(service, { type: 'order.paid', id: 'other', data: {} });
    await receiver.has(1);
    await until(async () => (await page('/explain?eventId=wanted')).html.includes('It got the event'), 'the outcome');
    expect((await page('/explain?eventId=other')).html).to.include('was not subscribed to the type');
    expect((await page('/explain?eventId=never')).status).to.equal(404);
    expect((await page('/explain')).status).to.equal(200);
  });
});
