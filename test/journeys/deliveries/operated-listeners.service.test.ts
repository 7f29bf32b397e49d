import { expect } from 'chai';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import type { Received } from '../../support/serve.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, type Subscription, subscribe } from '../../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

describe('listeners that operators decide about', () => {
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const decide = async (listenerId: string, change: string, json?: object) => {
    const { status, body } = await post(`/listeners/${listenerId}/${change}`, json);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Readonly<Record<string, unknown>>;
  };
  /** An operator beside the service, at its store. */
  const cli = async (...args: readonly string[]) => (await runCliForJson(service.dataDirectory, ...args))[0];

  const receivedAt = (path: string): readonly Received[] => receiver.received.filter((each) => each.path === path);
  const idsAt = (path: string): readonly string[] =>
    receivedAt(path).map(({ body }) => (JSON.parse(body) as { id: string }).id);
  const arrived = (path: string, ...ids: readonly string[]) =>
    until(() => ids.every((id) => idsAt(path).includes(id)), `${ids.join(', ')} at ${path}`);

  async function publishAll(orgId: string, ...ids: readonly string[]): Promise<void> {
    for (const id of ids) await publish(service, { orgId, id, type: 'flow.done', data: {} });
  }

  const recorded = (orgId: string, wanted: string, count: number) =>
    until(async () => {
      const { body } = await get(`/deliveries?orgId=${orgId}`);
      const { items } = body as { items: readonly { state: string }[] };
      return items.filter(({ state }) => state === wanted).length === count;
    }, `${count} deliveries of ${orgId} that are ${wanted}`);

  /** True once the fan-out has passed the events of the pause. */
  const held = (orgId: string, count: number) => recorded(orgId, 'held', count);

  it('get order and rate from the API or beside the service, paused or not', async () => {
    const { listenerId } = await subscribe(service, `${receiver.origin}/options`, { orgId: organisation() });
    const changed = ['ListenerSubscriptionChanged'];
    const first = await decide(listenerId, 'options', { ordered: true, ratePerSecond: 5 });
    expect(first).to.deep.include({ ordered: true, ratePerSecond: 5, state: 'active', changed });
    expect(await decide(listenerId, 'options', { ordered: true })).to.deep.include({ changed: [] });
    await decide(listenerId, 'pause');
    const beside = await cli('listeners', 'options', listenerId, '--no-ordered', '--rate', 'none');
    expect(beside).to.deep.include({ ordered: false, ratePerSecond: null, state: 'paused', changed });
    const { body } = await get(`/listeners/${listenerId}`);
    expect(body).to.include({ ordered: false, ratePerSecond: null, state: 'paused', pausedBy: 'operator' });
    expect((await post(`/listeners/${listenerId}/options`, { ratePerSecond: 0 })).status).to.equal(400);
    const { code, stderr } = await runCli(service.dataDirectory, 'listeners', 'options', listenerId);
    expect([code, stderr]).to.satisfy(([is, said]: [number, string]) => is === 2 && said.includes('--ordered'));
  });

  it('have a description, which the API, the console, the CLI and the history show', async () => {
    const orgId = organisation('described');
    const description = 'Orders to the warehouse';
    const { listenerId } = await subscribe(service, `${receiver.origin}/described`, { orgId, description });
    const again = await subscribe(service, `${receiver.origin}/described`, { orgId });
    expect(again).to.include({ listenerId, description });
    expect((await get(`/listeners/${listenerId}`)).body).to.include({ description });
    expect(await cli('listeners', 'list', '--org', orgId)).to.include({ description });
    const { stdout } = await runCli(service.dataDirectory, 'listeners', 'list', '--org', orgId);
    expect(stdout).to.match(/DESCRIPTION .*\n.*Orders to the warehouse/);
    expect(await cli('audit', 'history', '--org', orgId)).to.have.deep.nested.property(
      'after.description',
      description,
    );
    const { body: page } = await service.fetch(`/console/listeners/${listenerId}`);
    expect(page).to.match(/Description<\/dt><dd>Orders to the warehouse/);
    expect(page, 'the timeline').to.include('Description: Orders to the warehouse');
  });

  it('hold events while they are paused, continue once resumed, and get held ones if requested', async () => {
    const orgId = organisation('paused');
    const { listenerId } = await subscribe(service, `${receiver.origin}/paused`, { orgId });
    await publishAll(orgId, 'before');
    await recorded(orgId, 'succeeded', 1); // one under way is held too

    expect(await decide(listenerId, 'pause')).to.deep.include({ state: 'paused', changed: ['ListenerPaused'] });
    expect(await decide(listenerId, 'pause')).to.deep.include({ state: 'paused', changed: [] });
    await publishAll(orgId, 'meanwhile-1', 'meanwhile-2');
    await held(orgId, 2);

    expect(await decide(listenerId, 'resume')).to.deep.include({
      state: 'active',
      changed: ['ListenerResumed'],
      held: 2,
      redelivered: 0,
    });
    await publishAll(orgId, 'after');
    await arrived('/paused', 'after');
    expect(idsAt('/paused')).to.deep.equal(['before', 'after']);

    expect(await decide(listenerId, 'resume', { redeliverHeld: true })).to.deep.include({
      state: 'active',
      changed: [],
      held: 0,
      redelivered: 2,
    });
    await arrived('/paused', 'meanwhile-1', 'meanwhile-2');
    expect(idsAt('/paused')).to.have.length(4);
  });

  it('get all events of the pause at once, also the latest', async () => {
    const orgId = organisation('resumed-at-once');
    const { listenerId } = await subscribe(service, `${receiver.origin}/resumed-at-once`, { orgId });
    await decide(listenerId, 'pause');
    await publishAll(orgId, 'one', 'two', 'three');
    expect(await decide(listenerId, 'resume', { redeliverHeld: true })).to.deep.include({
      changed: ['ListenerResumed'],
      held: 0,
      redelivered: 3,
      moreMayCome: false,
    });
    await recorded(orgId, 'succeeded', 3);

    await decide(listenerId, 'pause');
    await publishAll(orgId, 'four', 'five');
    expect(await cli('listeners', 'resume', listenerId)).to.deep.include({
      changed: ['ListenerResumed'],
      held: 2,
      redelivered: 0,
      moreMayCome: false,
    });
  });

  it('get held events before later ones if they are ordered, at any rate', async () => {
    const orgId = organisation('resumed-in-order');
    const { listenerId } = await subscribe(service, `${receiver.origin}/in-order`, { orgId, ordered: true });
    const ids = Array.from({ length: 90 }, (_, n) => `n-${n}`);
    await decide(listenerId, 'pause');
    await publishAll(orgId, ...ids.slice(0, 30));
    const [resumed] = await Promise.all([
      decide(listenerId, 'resume', { redeliverHeld: true }),
      publishAll(orgId, ...ids.slice(30)),
    ]);
    expect(resumed).to.include({ held: 0, moreMayCome: false });
    expect(resumed.redelivered).to.be.at.least(30);
    await arrived('/in-order', ...ids);
    expect(idsAt('/in-order')).to.deep.equal(ids);
  });

  it('are resumed by the platform that subscribes again, under the same ID', async () => {
    const orgId = organisation('resubscribed');
    const first = await subscribe(service, `${receiver.origin}/resubscribed`, { orgId });
    await decide(first.listenerId, 'pause');
    expect((await subscribe(service, `${receiver.origin}/resubscribed`, { orgId })).listenerId).to.equal(
      first.listenerId,
    );
    await publishAll(orgId, 'after');
    await arrived('/resubscribed', 'after');
  });

  it('are paused and resumed from the command line, beside the service', async () => {
    const orgId = organisation('by-cli');
    const { listenerId } = await subscribe(service, `${receiver.origin}/by-cli`, { orgId });
    expect(await cli('listeners', 'pause', listenerId)).to.deep.include({
      state: 'paused',
      changed: ['ListenerPaused'],
    });
    await publishAll(orgId, 'meanwhile');
    await held(orgId, 1);
    expect(await cli('listeners', 'resume', listenerId, '--redeliver-held')).to.deep.include({
      state: 'active',
      held: 0,
      redelivered: 1,
    });
    await arrived('/by-cli', 'meanwhile');
  });

  it('are signed with both secrets while a rotation overlaps, and with the new one alone once it is over', async () => {
    const orgId = organisation('rotated');
    const registered = await subscribe(service, `${receiver.origin}/rotated`, { orgId });
    const { listenerId } = registered;
    const second = (await decide(listenerId, 'rotate-secret', { replaces: 1 })) as unknown as Subscription;
    expect(second.signingSecret).not.to.equal(registered.signingSecret);
    const repeated = await decide(listenerId, 'rotate-secret', { replaces: 1 });
    expect(repeated).to.deep.include({ changed: [], signingSecret: second.signingSecret });
    const said = await runCli(service.dataDirectory, 'listeners', 'rotate-secret', listenerId, '--replaces', '1');
    expect(said.stdout).to.match(
      /^nothing changed: .* is version 2 already: whsec_\S+; the previous one signs too until 20/,
    );
    const again = await subscribe(service, `${receiver.origin}/rotated`, { orgId });
    expect(again.signingSecret).to.equal(second.signingSecret);

    await publishAll(orgId, 'overlapping');
    await arrived('/rotated', 'overlapping');
    const [overlapping] = receivedAt('/rotated') as [Received];
    for (const secret of [registered.signingSecret, second.signingSecret]) verify(overlapping, secret);

    const third = (await cli('listeners', 'rotate-secret', listenerId, '--overlap-hours', '0')) as Subscription;
    await publishAll(orgId, 'revoked');
    await arrived('/rotated', 'revoked');
    const revoked = receivedAt('/rotated').at(-1) as Received;
    verify(revoked, third.signingSecret);
    for (const secret of [registered.signingSecret, second.signingSecret]) {
      expect(() => verify(revoked, secret)).to.throw();
    }
  });

  it('get no secret from the command line with another master key than the service has', async () => {
    const { listenerId } = await subscribe(service, `${receiver.origin}/other-key`, { orgId: organisation() });
    const key = Buffer.alloc(32, 7).toString('base64');
    const place = { DATA_DIR: service.dataDirectory, MASTER_KEYS: `g1:${key}` };
    const { code, stderr } = await runCli(place, 'listeners', 'rotate-secret', listenerId);
    expect([code, stderr]).to.deep.equal([1, 'flow-hooks: the service has no such master key of generation g1\n']);
  });

  it('get nothing after a removal, also a repeated one', async () => {
    const orgId = organisation('removed');
    const byApi = await subscribe(service, `${receiver.origin}/removed-1`, { orgId });
    const byCli = await subscribe(service, `${receiver.origin}/removed-2`, { orgId });
    await subscribe(service, `${receiver.origin}/kept`, { orgId });
    expect(await decide(byApi.listenerId, 'unsubscribe')).to.deep.include({
      state: 'unsubscribed',
      changed: ['ListenerUnsubscribed'],
    });
    expect(await decide(byApi.listenerId, 'unsubscribe')).to.deep.include({ state: 'unsubscribed', changed: [] });
    expect(await cli('listeners', 'unsubscribe', byCli.listenerId)).to.include({ state: 'unsubscribed' });
    await publishAll(orgId, 'after');
    await arrived('/kept', 'after');
    expect([...receivedAt('/removed-1'), ...receivedAt('/removed-2')]).to.deep.equal([]);

    expect((await post(`/listeners/${byApi.listenerId}/pause`)).body).to.include({ error: 'not_found' });
  });

  it('are not affected by decisions about the listener before them', async () => {
    const orgId = organisation('followed');
    const first = await subscribe(service, `${receiver.origin}/followed`, { orgId });
    await decide(first.listenerId, 'unsubscribe');
    await subscribe(service, `${receiver.origin}/followed`, { orgId });
    for (const change of ['pause', 'resume', 'rotate-secret', 'unsubscribe']) {
      expect((await post(`/listeners/${first.listenerId}/${change}`)).status, change).to.equal(404);
    }
    await publishAll(orgId, 'after');
    await arrived('/followed', 'after');
  });

  it('are identified by their listener IDs: an unknown ID is not found', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const change of ['pause', 'resume', 'rotate-secret', 'unsubscribe']) {
      const { status, body } = await post(`/listeners/${unknown}/${change}`);
      expect([status, (body as { error: string }).error], change).to.deep.equal([404, 'not_found']);
    }
    expect(await runCli(service.dataDirectory, 'listeners', 'pause', unknown)).to.deep.include({
      code: 1,
      stderr: 'flow-hooks: no active listener has this ID\n',
    });
    const { listenerId } = await subscribe(service, `${receiver.origin}/refused`, { orgId: organisation() });
    for (const json of [{ overlapHours: 169 }, { overlapHours: -1 }, { overlapHours: 1.5 }, { overlap: 1 }]) {
      expect((await post(`/listeners/${listenerId}/rotate-secret`, json)).status).to.equal(400);
    }
  });

  it('are named by their IDs in either case, and so is all else that has a UUID', async () => {
    const orgId = organisation('shouted');
    const { listenerId } = await subscribe(service, `${receiver.origin}/shouted`, { orgId });
    await publishAll(orgId, 'loud');
    await arrived('/shouted', 'loud');
    const shouted = listenerId.toUpperCase();
    expect(shouted).not.to.equal(listenerId);
    expect(await decide(shouted, 'pause')).to.include({ listenerId });
    expect(await cli('listeners', 'resume', shouted)).to.include({ listenerId });
    expect((await post(`/listeners/${shouted}/test`)).status).to.equal(200);
    expect(await cli('listeners', 'test', shouted)).to.include({ state: 'succeeded' });

    type Items = { items: readonly Readonly<Record<string, string>>[] };
    const isFound = async (asked: ReturnType<typeof get>, what: string) => {
      const { status, body } = await asked;
      expect(status, `${what}: ${JSON.stringify(body)}`).to.equal(200);
      expect((body as Items).items, what).not.to.eql([]);
      return (body as Items).items[0] ?? {};
    };
    await isFound(post('/flows/loud/explain', { orgId, listenerId: shouted }), 'explain');
    await isFound(post('/audit/history', { orgId, listenerId: shouted }), 'history');
    const { id, storeEventId } = await isFound(
      get(`/deliveries?orgId=${orgId}&listenerId=${shouted}&eventId=loud`),
      'list',
    );
    await isFound(get(`/deliveries?orgId=${orgId}&eventId=${storeEventId?.toUpperCase()}`), 'deliveries of an event');
    await isFound(post(`/flows/${storeEventId?.toUpperCase()}/explain`, { orgId }), 'explain by the UUID in the store');
    expect((await get(`/deliveries/${id?.toUpperCase()}?orgId=${orgId}`)).status).to.equal(200);
    expect((await get(`/stats?orgId=${orgId}&listenerId=${shouted}`)).body).to.have.nested.property(
      'listeners.length',
      1,
    );
    const started = await post('/replays', { orgId, listenerId: shouted });
    expect(started.body).to.include({ listenerId });
    const { id: replayId } = started.body as { id: string };
    expect((await get(`/replays/${replayId.toUpperCase()}`)).body).to.include({ id: replayId });

    const of = ['--org', orgId, '--listener', shouted];
    for (const command of [
      ['flows', 'explain', 'loud', ...of],
      ['deliveries', 'list', ...of],
      ['audit', 'history', ...of],
      ['deliveries', 'show', `${id?.toUpperCase()}`, '--org', orgId],
      ['replays', 'show', replayId.toUpperCase()],
    ]) {
      expect(await cli(...command), command.join(' ')).not.to.equal(undefined);
    }
    expect(await cli('deliveries', 'stats', ...of)).to.have.nested.property('listeners.length', 1);
    expect(await runCli(service.dataDirectory, 'deliveries', 'stats', '--org', orgId, '--listener', 'x')).to.include({
      code: 2,
      stderr: 'flow-hooks: --listener must be the ID of a listener\n',
    });
  });

  it('have the order and rate that they ask for, or those of their organisation', async () => {
    const orgId = organisation('with-defaults');
    expect((await get(`/organisations/settings?orgId=${orgId}`)).body).to.eql({
      orgId,
      ordered: false,
      ratePerSecond: null,
      eventTypeCheck: 'off',
    });
    const changed = await post('/organisations/settings', { orgId, ordered: true });
    expect(changed.body).to.eql({
      orgId,
      ordered: true,
      ratePerSecond: null,
      eventTypeCheck: 'off',
      changed: ['OrganisationSettingsChanged'],
    });
    expect(await cli('orgs', 'settings', '--org', orgId, '--rate', '20')).to.deep.include({ ratePerSecond: 20 });
    expect(await cli('orgs', 'settings', '--org', orgId)).to.deep.include({ ordered: true, ratePerSecond: 20 });
    expect((await post('/organisations/settings', { orgId, ratePerSecond: 0 })).status).to.equal(400);
    expect(await runCli(service.dataDirectory, 'orgs', 'settings', '--org', orgId, '--rate', 'x')).to.include({
      code: 2,
    });

    expect(await cli('orgs', 'settings', '--org', orgId, '--rate', 'none')).to.deep.include({ ratePerSecond: null });
    await cli('orgs', 'settings', '--org', orgId, '--rate', '20');

    const headers = { orgid: orgId, userid: 'ada' };
    const hookUrl = `${receiver.origin}/with-defaults`;
    const ask = async (options: object) => {
      const json = { hookUrl, subscriptionType: 'flow.*', ...options };
      return (await service.fetch('/api/hooks/subscribe/flows', { headers, json })).body as Readonly<
        Record<string, unknown>
      >;
    };
    const first = await ask({});
    expect(first).to.include({ ordered: true, ratePerSecond: 20 });
    const { listenerId } = first;
    expect(await ask({ ordered: false, ratePerSecond: 3.5 })).to.include({
      listenerId,
      ordered: false,
      ratePerSecond: 3.5,
    });
    expect(await ask({})).to.include({ listenerId, ordered: false, ratePerSecond: 3.5 });
    expect(await ask({ ratePerSecond: 0 })).to.include({ error: 'invalid_request' });
    expect(await ask({ ordered: 'yes' })).to.include({ error: 'invalid_request' });
  });
});
