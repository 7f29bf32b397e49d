import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type MetricsRelay, startMetricsRelay } from '../../support/prometheus/metrics-relay.js';
import { onPrometheus, type Prometheus, startPrometheus, untilFires } from '../../support/prometheus/prometheus.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

function alertsOfStores(): void {
  let service: ServiceProcess;
  let receiver: Receiver;
  let relay: MetricsRelay;
  let prometheus: Prometheus;

  before(async () => {
    receiver = await startReceiver();
    service = await startService();
    relay = await startMetricsRelay(() => service.origin);
    prometheus = await startPrometheus(relay.host, { factor: 60, scrapeMs: 1_000 });
    await subscribe(service, `${receiver.origin}/all`, { subscriptionType: '*' });
  });
  after(async () => {
    await prometheus?.stop();
    await relay?.close();
    await service.stop('SIGKILL');
    await receiver.close();
  });

  const file = (name: string) => join(service.dataDirectory, name);
  const view = (name: string) => {
    const files = readdirSync(file('read-models')).filter((entry) => entry.startsWith(`${name}-v`));
    return join('read-models', files.find((entry) => entry.endsWith('.db')) ?? '');
  };

  /** All fire while the work is done again and again under this change of a database, and are resolved after it was undone. */
  async function expectAlerts(
    alerts: readonly string[],
    { database, change, undo, work }: { database: string; change: string; undo: string; work: () => Promise<unknown> },
  ): Promise<void> {
    const store = new Database(file(database));
    store.exec(change);
    try {
      await Promise.all(alerts.map((alert) => untilFires(prometheus, alert, work)));
    } finally {
      store.exec(undo);
      store.close();
    }
    for (const alert of alerts) await prometheus.resolves(alert);
  }

  /** A database that cannot write this. */
  const refusing = (database: string, write: string) => ({
    database,
    change: `CREATE TRIGGER refuse BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    undo: 'DROP TRIGGER refuse',
  });
  const nothing = async () => {};
  const flow = { json: { orgId: 'acme', type: 'a', data: {} } };

  it('fires at the first view that is damaged', async () => {
    await until(async () => (await prometheus.query('count_over_time(up[1m]) > 2')).length > 0, 'scrapes');
    await service.stop();
    truncateSync(file(view('event-types')), 0);
    service = await startService({ dataDirectory: service.dataDirectory });
    await prometheus.fires('FlowHooksViewSetAside');
  });

  it('fires when the event store refuses appends', () =>
    expectAlerts(['FlowHooksAppendsFail', 'FlowHooksRequestsFail'], {
      ...refusing('events.db', 'INSERT ON events'),
      work: () => service.fetch('/api/flows', flow),
    }));

  it('fires when the queue takes no deliveries', async () => {
    await publish(service, { type: 'a', data: {} });
    await expectAlerts(['FlowHooksFanOutFails', 'FlowHooksFanOutStands'], {
      ...refusing('deliveries.db', 'INSERT ON deliveries'),
      work: () => publish(service, { type: 'a', data: {} }),
    });
  });

  it('fires when a view cannot be written', () =>
    expectAlerts(['FlowHooksViewFails', 'FlowHooksViewBehind'], {
      ...refusing(view('listeners'), 'INSERT ON documents'),
      work: () => subscribe(service, `${receiver.origin}/later`, { orgId: 'later' }).catch(nothing),
    }));

  it('fires when the queue cannot be read for the metrics', () =>
    expectAlerts(['FlowHooksReadingsFail'], {
      database: 'deliveries.db',
      change: 'ALTER TABLE set_aside RENAME TO gone',
      undo: 'ALTER TABLE gone RENAME TO set_aside',
      work: nothing,
    }));

  // An embedded store has no other holder, and a lease of MongoDB is lost for longer than a test may take.
  it('fires when no instance holds a lease, in the metrics with one value changed', async () => {
    relay.change('flow_hooks_lease_held{lease="fan-out"}', 0);
    await prometheus.fires('FlowHooksNoLeader');
    relay.change('flow_hooks_lease_held{lease="fan-out"}', 1);
    await prometheus.resolves('FlowHooksNoLeader');
  });

  it('fires no more once the damaged view is an hour ago', () => prometheus.resolves('FlowHooksViewSetAside'));
}

describe('the alerts of docs/observability about stores, in a Prometheus that scrapes a service', function () {
  this.timeout(300_000);
  onPrometheus(alertsOfStores);
});
