import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { type HeldReceiver, startHeldReceiver } from '../../support/hooks/held-receiver.js';
import { type Receiver, startReceiver } from '../../support/hooks/receiver.js';
import { onPrometheus, type Prometheus, startPrometheus, untilFires } from '../../support/prometheus/prometheus.js';
import { runCli } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const dashboard = JSON.parse(
  readFileSync(new URL('../../../../docs/observability/dashboard.json', import.meta.url), 'utf8'),
) as { readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[] };

function alertsOfOneService(): void {
  let service: ServiceProcess;
  let hook: Receiver;
  let slow: HeldReceiver;
  let prometheus: Prometheus;

  before(async () => {
    hook = await startReceiver();
    slow = await startHeldReceiver();
    const environment = {
      AUTO_PAUSE_AFTER: '1s',
      RETRY_SCHEDULE: '1h',

      MAX_CONNECTIONS: '500',
    };
    service = await startService({ environment });
    prometheus = await startPrometheus(new URL(service.origin).host, { factor: 60, scrapeMs: 500 });
  });
  after(async () => {
    await prometheus?.stop();
    await service.stop('SIGKILL');
    await hook.close();
    await slow.close();
  });

  it('returns a series for each query of the dashboard from a service at which nothing has happened, and fires no alert', async () => {
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const answered = async (expr: string) =>
      (await prometheus.query(expr.replaceAll('$__rate_interval', '5s').replaceAll('$job', 'flow-hooks'))).length > 0;
    expect(queries).to.have.length.above(40);
    await until(async () => (await prometheus.query('count_over_time(up[1m]) > 5')).length > 0, 'scrapes');
    const unanswered: string[] = [];
    for (const expr of queries) if (!(await answered(expr))) unanswered.push(expr);
    expect(unanswered).to.deep.equal([]);
    expect(await prometheus.query('ALERTS')).to.deep.equal([]);
  });

  it('fires at the first dead letter', async () => {
    await subscribe(service, `${hook.origin}/dead`, { subscriptionType: 'dead', transform: '$error("no")' });
    await publish(service, { type: 'dead', data: {} });
    await prometheus.fires('FlowHooksDeadLetters');
  });

  it('fires when attempts go on failing', () =>
    untilFires(prometheus, 'FlowHooksAttemptsFail', () => publish(service, { type: 'dead', data: {} })));

  it('fires at the first event that is set aside, until it is repaired', async () => {
    const directory = service.dataDirectory;
    const store = openSqliteEventStore({ directory });
    await store.append('flow-unreadable', [{ id: randomUUID(), type: 'order.paid', data: { total: 1 }, metadata: {} }]);
    await store.close();
    await prometheus.fires('FlowHooksEventsSetAside');
    const events = new Database(join(directory, 'events.db'));
    events.prepare(`UPDATE events SET data = '{"orgId":"acme"}' WHERE data = '{"total":1}'`).run();
    events.close();
    expect(await runCli(directory, 'deliveries', 'retry-set-aside')).to.include({ code: 0 });
    await prometheus.resolves('FlowHooksEventsSetAside');
  });

  it('fires at the first hook that is paused', async () => {
    await subscribe(service, `${slow.origin}/failing`, { orgId: 'failing', subscriptionType: 'failing' });
    for (let n = 0; n < 24; n += 1) await publish(service, { orgId: 'failing', type: 'failing', data: { n } });
    await slow.holds(24); // all of them are under way before the circuit breaker opens
    await slow.release(500, 12);
    await pause(1_500);
    await slow.release(500);
    await prometheus.fires('FlowHooksHooksPaused');
  });

  it('fires when the instance answers nothing, until it answers again', async () => {
    process.kill(service.pid, 'SIGSTOP');
    await prometheus.fires('FlowHooksInstanceDown').finally(() => process.kill(service.pid, 'SIGCONT'));
    await prometheus.resolves('FlowHooksInstanceDown');
  });

  it('fires no more when all is over', async () => {
    for (const alert of [
      'FlowHooksDeadLetters',
      'FlowHooksHooksPaused',
      'FlowHooksDeliveriesLate',
      'FlowHooksViewSetAside',
    ]) {
      await prometheus.resolves(alert);
    }
  });
}

describe('the alerts of docs/observability in a Prometheus that scrapes a service', function () {
  this.timeout(300_000);
  onPrometheus(alertsOfOneService);
});
