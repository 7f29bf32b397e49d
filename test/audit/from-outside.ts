import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { type CliPlace, runCliForJson } from '../support/service/cli.js';
import { signIn, subscribe, unsubscribe } from '../support/service/journey.js';
import type { ServiceProcess } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

export const urlOf = (name: string) => `http://127.0.0.1:49999/${name}`;

/** Questions of operators about the past, over HTTP and on the command line. */
export function auditFromOutside(open: () => Promise<{ service: ServiceProcess; place: CliPlace }>): void {
  let service: ServiceProcess;
  let place: CliPlace;
  let authorization: string;
  let afterFirst: string;
  const json = (...args: readonly string[]) => runCliForJson(place, 'audit', ...args);
  const results = async (...args: readonly string[]) =>
    (await json(...args)).filter((line) => !Object.hasOwn(line as object, 'progress'));
  const post = (path: string, body: object) =>
    service.fetch(`/admin/api/audit${path}`, { headers: { authorization }, json: body });

  before(async () => {
    ({ service, place } = await open());
    authorization = `Bearer ${readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim()}`;
    await signIn(service, { orgId: 'audited', userId: 'ada' });
    await subscribe(service, urlOf('kept'), { orgId: 'audited' });
    afterFirst = new Date().toISOString();
    await subscribe(service, urlOf('removed'), { orgId: 'audited' });
    await subscribe(service, urlOf('kept'), { orgId: 'audited', subscriptionType: 'flow.done' });
    await unsubscribe(service, urlOf('removed'), 'audited');
    await subscribe(service, urlOf('kept'), { orgId: 'another' });
  });

  const all = [
    ...['TokensIssued', 'ListenerSubscribed', 'ListenerSubscribed'],
    ...['ListenerSubscriptionChanged', 'ListenerUnsubscribed'],
  ];

  it('shows the same history at once, with and without the index, and over HTTP', async () => {
    const entries = (await json('history', '--org', 'audited', '--user')) as AuditEntry[];
    expect(entries.map(({ type }) => type)).to.deep.equal(all);
    expect(await results('history', '--org', 'audited', '--user', '--full-scan')).to.deep.equal(entries);
    const { status, body } = await post('/history', { orgId: 'audited', user: true });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ items: entries, next: null });
    const ofOne = await post('/history', { orgId: 'audited', hookUrl: `${urlOf('removed')}#x`, limit: 1 });
    const { items, next } = ofOne.body as { items: AuditEntry[]; next: string };
    expect(items.map(({ type }) => type)).to.deep.equal(['ListenerSubscribed']);
    const rest = await post('/history', { orgId: 'audited', hookUrl: urlOf('removed'), after: next });
    expect((rest.body as { items: AuditEntry[] }).items.map(({ type }) => type)).to.deep.equal([
      'ListenerUnsubscribed',
    ]);
    const listener = entries[1]?.listenerId ?? '';
    expect(await json('history', '--org', 'audited', '--listener', listener)).to.have.length(2);
    expect(await json('history', '--org', 'audited', '--to', afterFirst)).to.have.length(1);
  });

  it('shows the listeners at an instant, by time and by position', async () => {
    const { body } = await post('/as-of', { orgId: 'audited', at: afterFirst });
    const { items } = body as { items: object[] };
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ hookUrl: urlOf('kept'), state: 'active', subscriptionType: 'flow.*' });
    expect(await json('as-of', '--org', 'audited', '--at', afterFirst)).to.deep.equal(items);
    const entries = (await json('history', '--org', 'audited')) as AuditEntry[];
    const at = entries[1]?.position ?? '';
    expect(await json('as-of', '--org', 'audited', '--at', at)).to.have.length(2);
    expect(await results('as-of', '--org', 'audited', '--at', at, '--full-scan')).to.have.length(2);
  });

  it('refuses over HTTP invalid requests, and callers without a key', async () => {
    expect(await post('/history', {})).to.deep.include({ status: 400 });
    expect((await post('/as-of', { orgId: 'audited', at: 'yesterday' })).body).to.include({ error: 'invalid_request' });
    expect((await post('/history', { orgId: 'audited', hookUrl: 'none' })).status).to.equal(400);
    expect((await service.fetch('/admin/api/audit/history', { json: { orgId: 'audited' } })).status).to.equal(401);
  });

  it('finds no difference in the views, nor from a seal while the service runs', async () => {
    expect((await results('verify'))[0]).to.deep.include({ differences: 0 });
    const seal = join(temporaryDirectory(), 'seal');
    const [sealed] = await results('seal', '--to', seal);
    expect(sealed).to.include({ seal });
    await subscribe(service, urlOf('later'), { orgId: 'audited' });
    const [checked] = await results('check', seal);
    const { streams, events } = sealed as { streams: number; events: number };
    expect(checked).to.include({ streams, events, differences: 0, erased: 0 });
  });
}
