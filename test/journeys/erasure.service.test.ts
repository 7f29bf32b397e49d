import { join } from 'node:path';
import { expect } from 'chai';
import { reusablePort } from '../eventstoredb-double/src/reusable-port.js';
import { openStream } from '../support/console/server-sent-events.js';
import { filesWith } from '../support/files-with.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCli, runCliForJson, startCli } from '../support/service/cli.js';
import { probe, publish, refresh, signIn, subscribe, unsubscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

describe('erasing an organisation, from outside', function () {
  this.timeout(240_000);
  let service: ServiceProcess;
  let receiver: Receiver;
  /** Origin of a port without a server. */
  let unreachable: string;

  beforeEach(async () => {
    receiver = await startReceiver();
    unreachable = `http://127.0.0.1:${await reusablePort()}`;
    service = await startService();
  });
  afterEach(async () => {
    await service.stop();
    await receiver.close();
  });

  const { get, post } = administratorOf(() => service);

  /** Creates all data of an organisation: registered, failing and removed listeners, a session, flow events, settings, a replay. */
  async function createData(orgId: string, userId: string) {
    const tokens = await signIn(service, { orgId, userId });
    await refresh(service, tokens.refresh_token);
    const { listenerId } = await subscribe(service, `${receiver.origin}/${orgId}/kept`, { orgId, userId });
    await subscribe(service, `${receiver.origin}/${orgId}/removed`, { orgId, userId });
    await subscribe(service, `${unreachable}/${orgId}/fails`, { orgId, userId });
    const before = receiver.received.length;
    for (let event = 0; event < 5; event += 1) {
      await publish(service, { orgId, id: `${orgId}-${event}`, type: 'flow.done', data: { by: userId } });
    }
    await until(() => receiver.received.length >= before + 10, 'the deliveries');
    await unsubscribe(service, `${receiver.origin}/${orgId}/removed`, orgId);
    await post('/organisations/settings', { orgId, ordered: true });
    const { status } = await post('/replays', { orgId, listenerId });
    expect(status).to.equal(201);
    return { tokens, listenerId };
  }

  it('removes all its data from all files, and keeps the data of others', async () => {
    const orgId = 'org-that-goes';
    const { tokens } = await createData(orgId, 'user-that-goes');
    await createData('org-that-stays', 'user-that-stays');
    const traces = [orgId, 'user-that-goes']; // the URLs of its listeners have its ID too

    const refused = await post('/organisations/erase', { orgId, confirm: 'org-that-stays' });
    expect(refused.status).to.equal(400);
    const { status, body } = await post('/organisations/erase', { orgId, confirm: orgId });
    expect(status, JSON.stringify(body)).to.equal(200);
    // A session, three listeners, the settings and the replay.
    expect(body).to.deep.include({ streams: 6, flowStreams: 5, elsewhere: [] });
    expect((await probe(service, tokens.access_token)).status).to.equal(401);
    expect((await refresh(service, tokens.refresh_token)).status).to.equal(400);
    expect((await get(`/listeners?orgId=${orgId}`)).body).to.deep.include({ items: [] });
    expect((await get(`/deliveries?orgId=${orgId}`)).body).to.deep.include({ items: [] });

    await until(() => filesWith(service.dataDirectory, traces).length === 0, `no trace in ${service.dataDirectory}`);
    const again = await post('/organisations/erase', { orgId, confirm: orgId });
    expect(again.body).to.deep.include({ streams: 0, flowStreams: 0 });

    const stays = (await get('/listeners?orgId=org-that-stays')).body as { items: object[] };
    expect(stays.items).to.have.length(2);
    const verified = await runCli(service.dataDirectory, 'audit', 'verify');
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
    await runCli(service.dataDirectory, 'views', 'rebuild', '--all');
    expect(filesWith(service.dataDirectory, traces)).to.deep.equal([]);
  });

  it('ends its portal sessions and links at once, also for an open page, and keeps those of others', async () => {
    const linkOf = async (orgId: string) => {
      const { body } = await post('/portal-links', { orgId, user: `${orgId}-user`, expiresInSeconds: 3_600 });
      const { pathname, search } = new URL((body as { url: string }).url);
      return `${service.origin}${pathname}${search}`;
    };
    const open = async (link: string) => {
      const { headers } = await fetch(link, { redirect: 'manual' });
      return { cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const pageOf = async (headers: HeadersInit) => (await fetch(`${service.origin}/portal`, { headers })).status;
    const [unopened, opened] = [await linkOf('ends'), await linkOf('ends')];
    const session = await open(opened);
    const other = await open(await linkOf('stays'));
    const live = await openStream(`${service.origin}/portal/live/deliveries`, session);
    expect([await pageOf(session), await pageOf(other), live.status]).to.deep.equal([200, 200, 200]);

    expect((await post('/organisations/erase', { orgId: 'ends', confirm: 'ends' })).status).to.equal(200);
    expect([await pageOf(session), await pageOf(other)]).to.deep.equal([401, 200]);
    for (const link of [unopened, opened]) expect((await fetch(link, { headers: session })).status).to.equal(403);
    await subscribe(service, `${receiver.origin}/new`, { orgId: 'ends' });
    for (let update = await live.next(); update !== undefined; update = await live.next())
      expect(JSON.stringify(update)).to.not.include('/new');
    await until(() => filesWith(service.dataDirectory, ['ends-user']).length === 0, 'no trace of the user');
  });

  it('allows the organisation to register again, without its earlier history', async () => {
    const orgId = 'back';
    const { listenerId } = await createData(orgId, 'ada');
    expect((await runCli(service.dataDirectory, 'orgs', 'erase', orgId)).code).to.equal(2);
    expect((await runCli(service.dataDirectory, 'orgs', 'erase', orgId, '--yes', 'other')).code).to.equal(2);
    const { code, stdout, stderr } = await runCli(service.dataDirectory, 'orgs', 'erase', orgId, '--yes', orgId);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^back is erased: 6 streams and 5 streams of flow events were deleted\n$/);
    const again = await runCli(service.dataDirectory, 'orgs', 'erase', orgId, '--yes', orgId);
    expect(again.stdout).to.equal('nothing to erase: back is unknown, or was erased already\n');

    const before = receiver.received.length;
    const next = await subscribe(service, `${receiver.origin}/${orgId}/kept`, { orgId });
    expect(next.listenerId).not.to.equal(listenerId);
    await publish(service, { orgId, id: `${orgId}-0`, type: 'flow.done', data: 'again' });
    await until(() => receiver.received.length === before + 1, 'the delivery');
    expect(receiver.received.at(-1)?.body).to.include('again');
    const history = await runCliForJson(service.dataDirectory, 'audit', 'history', '--org', orgId);
    expect(history).to.have.length(1);
    await unsubscribe(service, `${receiver.origin}/${orgId}/kept`, orgId);
    const listed = async () => ((await get(`/listeners?orgId=${orgId}`)).body as { items: object[] }).items;
    await until(async () => (await listed()).length === 0, 'the view to see that it is removed');
  });

  it('completes an interrupted erasure when it runs again', async () => {
    const orgId = 'killed-org';
    for (let index = 0; index < 300; index += 1) {
      await publish(service, { orgId, id: `k-${index}`, type: 'flow.done', data: { index } });
    }
    await createData(orgId, 'killed-user');
    for (const afterMs of [350, 500, 650, 800]) {
      const erasing = startCli(service.dataDirectory, 'orgs', 'erase', orgId, '--yes', orgId);
      const timer = setTimeout(() => void erasing.stop('SIGKILL'), afterMs);
      await erasing.ended;
      clearTimeout(timer);
    }
    await service.stop('SIGKILL');
    service = await startService({ dataDirectory: service.dataDirectory });
    const { code, stderr } = await runCli(service.dataDirectory, 'orgs', 'erase', orgId, '--yes', orgId);
    expect(code, stderr).to.equal(0);
    await until(() => filesWith(service.dataDirectory, [orgId, 'killed-user']).length === 0, 'no trace');
    const verified = await runCli(service.dataDirectory, 'audit', 'verify');
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0);
  });

  it('keeps earlier seals valid: the check reports erased streams as erased', async () => {
    const orgId = 'sealed-org';
    await createData(orgId, 'ada');
    await createData('other-org', 'eve');
    const seal = join(service.dataDirectory, 'seal.jws');
    const sealed = await runCli(service.dataDirectory, 'audit', 'seal', '--to', seal);
    expect(sealed.code, sealed.stderr).to.equal(0);
    await post('/organisations/erase', { orgId, confirm: orgId });

    const { code, stdout, stderr } = await runCli(service.dataDirectory, 'audit', 'check', seal);
    expect(code, stderr).to.equal(0);
    expect(stdout.match(/was erased at .* by admin:/g)).to.have.length(5); // replays are not sealed
    expect(stdout).to.match(/erased since 5/);
  });
});
