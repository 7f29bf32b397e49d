import { expect } from 'chai';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { organisation, type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

describe('event types, from outside', () => {
  let service: SharedService;

  before(async () => {
    service = await sharedService();
  });

  const type = organisation('order.paid');
  const admin = administratorOf(() => service);
  const cli = (...args: string[]) => runCliForJson(service.dataDirectory, ...args);
  const publish = (data: unknown) => service.fetch('/api/flows', { json: { orgId: service.orgId, type, data } });
  const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };

  it('are declared on the command line, and offered to platforms', async () => {
    const options = [
      '--description',
      'An order was paid',
      '--schema',
      JSON.stringify(schema),
      '--example',
      '{"total":1}',
      '--searchable',
      'data.total',
    ];
    const [added] = await cli('types', 'add', type, ...options);
    expect(added).to.deep.equal({
      ...{ name: type, state: 'declared', version: 1, description: 'An order was paid' },
      ...{ schema, example: { total: 1 }, searchable: ['data.total'], changed: ['EventTypeDeclared'] },
    });
    const offered = async () => (await service.fetch('/api/hooks/subscription-types')).body as { id: string }[];
    await until(async () => (await offered()).some(({ id }) => id === type), 'the view');
    expect(await offered()).to.deep.include.members([
      { id: '*', name: 'All events', description: 'Every flow event.' },
      { id: type, name: type, description: 'An order was paid' },
    ]);
    const [shown] = await cli('types', 'show', type);
    expect(await cli('types', 'list')).to.deep.include(shown);
  });

  it('are in the history of the service, with each change and its actor, and have a timeline', async () => {
    await admin.post('/event-types/change', { name: type, description: 'An order was paid in full' });
    const entries = (await cli('audit', 'service-history')) as readonly Record<string, unknown>[];
    const ofTypes = entries.filter(({ eventType }) => eventType === type);
    expect(ofTypes.map(({ type }) => type)).to.deep.equal(['EventTypeDeclared', 'EventTypeChanged']);
    expect(ofTypes[0]?.actor).to.match(/^operator:/);
    expect(ofTypes[1]?.after).to.deep.include({ version: 2, description: 'An order was paid in full', schema });
    const scanned = (await cli('audit', 'service-history', '--full-scan')) as readonly object[];
    expect(scanned.filter((row) => !('progress' in row))).to.deep.equal(entries);
    expect((await admin.get('/audit/service-history')).body).to.deep.equal({ items: entries, next: null });
    const timeline = async (query: string) => (await admin.get(`/event-types/timeline?name=${type}${query}`)).body;
    expect(await timeline('')).to.deep.equal({ items: ofTypes.toReversed(), next: null });
    expect(await timeline('&limit=1')).to.deep.equal({ items: ofTypes.slice(1), next: '1' });
    expect(await timeline('&after=1')).to.deep.equal({ items: ofTypes.slice(0, 1), next: null });
    expect((await admin.get('/event-types/timeline?name=order.unknown')).body).to.include({
      error: 'event_type_not_found',
    });
  });

  it('are refused with the place that is wrong', async () => {
    const twice = await runCli(service.dataDirectory, 'types', 'add', type, '--description', 'x');
    expect([twice.code, twice.stderr]).to.deep.equal([1, `flow-hooks: the event type '${type}' is declared already\n`]);
    const wrong = await runCli(service.dataDirectory, 'types', 'change', type, '--schema', '{"type":"nummer"}');
    expect(wrong.code).to.equal(2);
    expect(wrong.stderr).to.match(/^flow-hooks: schema\.type: must be equal to one of the allowed values/);
  });

  it('are checked by the service and by the command line as the organisation wishes', async () => {
    await cli('orgs', 'settings', '--org', service.orgId, '--event-types', 'refuse');
    await until(async () => (await publish({})).status === 400, 'the setting to be in force');
    expect((await publish({ total: 'x' })).body).to.include({
      error: 'event_type_mismatch',
      message: `data.total: must be number (event type ${type}, version 2)`,
    });
    const publishing = ['flows', 'publish', '--org', service.orgId, '--type', type, '--data', '{}'];
    expect((await runCli(service.dataDirectory, ...publishing)).code).to.equal(1);
    await cli('orgs', 'settings', '--org', service.orgId, '--event-types', 'warn');
    const warned = await runCli(service.dataDirectory, ...publishing);
    expect([warned.code, warned.stderr]).to.deep.equal([
      0,
      `flow-hooks: data: must have required property 'total' (event type ${type}, version 2)\n`,
    ]);
    await until(async () => (await publish({})).status === 202, 'the setting to be in force');
    const metrics = String((await service.fetch('/metrics')).body);
    expect(metrics).to.match(/^flow_hooks_event_type_mismatches_total\{outcome="refused"\} [1-9]/m);
    expect(metrics).to.match(/^flow_hooks_event_type_mismatches_total\{outcome="warned"\} [1-9]/m);
    const { eventTypeMismatches } = (await admin.get('/service')).body as { eventTypeMismatches: { type: string }[] };
    const [mismatch, ...others] = eventTypeMismatches.filter((each) => each.type === type);
    expect(others).to.have.length(0);
    expect(mismatch).to.include({
      lastReason: "data: must have required property 'total'",
    });
    for (const counted of ['warned', 'refused']) expect(mismatch).to.have.property(counted).above(0);
  });

  it('are offered and checked no more once they are retired', async () => {
    await cli('orgs', 'settings', '--org', service.orgId, '--event-types', 'refuse');
    await until(async () => (await publish({})).status === 400, 'the setting to be in force');
    expect((await cli('types', 'retire', type))[0]).to.include({ state: 'retired', version: 2 });
    await until(async () => (await publish({})).status === 202, 'the type not to be checked');
    const offered = async () => (await service.fetch('/api/hooks/subscription-types')).body as { id: string }[];
    await until(async () => (await offered()).every(({ id }) => id !== type), 'the catalogue without it');
  });
});
