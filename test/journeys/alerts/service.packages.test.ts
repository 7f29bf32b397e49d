import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { onPrometheus, type Prometheus, startPrometheus, untilFires } from '../../support/prometheus/prometheus.js';
import { type Receiver, startHeldReceiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCli } from '../../support/service/cli.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const dashboard = JSON.parse(
  readFileSync(new URL('../../../../docs/observability/dashboard.json', import.meta.url), 'utf8'),
) as { panels: readonly { targets?: readonly { expr: string }[] }[] };

function alertsOfOneService(): void {
  let service: ServiceProcess;
  let receiver: Receiver;
  let slow: Receiver;
  let prometheus: Prometheus;

  before(async () => {
    receiver = await startReceiver();
    slow = await startHeldReceiver();
    const environment = {
      AUTO_PAUSE_AFTER: '1s',
      RETRY_SCHEDULE: '1h',
      MAX_CONNECTIONS: '500',
    };
    service = await startService({ environment, maxDescriptors: 200 });
    prometheus = await startPrometheus(new URL(service.origin).host, { factor: 60, scrapeMs: 1_000 });
  });
  after(async () => {
    await prometheus?.stop();
    await service.stop('SIGKILL');
    await receiver.close();
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
    await subscribe(service, `${receiver.origin}/dead`, { subscriptionType: 'dead', transform: '$error("no")' });
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

  it('fires at the first listener that is paused', async () => {
    await subscribe(service, `${slow.origin}/failing`, { orgId: 'failing', subscriptionType: 'failing' });
    for (let n = 0; n < 24; n += 1) await publish(service, { orgId: 'failing', type: 'failing', data: { n } });
    await slow.holds(24); // all of them are under way before the circuit breaker opens
    await slow.release(500, 12);
    await pause(1_500);
    await slow.release(500);
    await prometheus.fires('FlowHooksListenersPaused');
  });

  it('fires when the instance answers nothing, until it answers again', async () => {
    process.kill(service.pid, 'SIGSTOP');
    await prometheus.fires('FlowHooksInstanceDown').finally(() => process.kill(service.pid, 'SIGCONT'));
    await prometheus.resolves('FlowHooksInstanceDown');
  });

  it('fires when descriptors run out', async () => {
    const used = Number((await prometheus.query('process_open_fds'))[0]?.value[1]);
    const sockets = Array.from({ length: 190 - used }, () =>
      connect(service.port, '127.0.0.1').on('error', () => undefined),
    );
    await prometheus.fires('FlowHooksDescriptorsRunOut');
    for (const socket of sockets) socket.destroy();
    await prometheus.resolves('FlowHooksDescriptorsRunOut');
  });

  it('fires when deliveries are late, here for the rate limit of their listener', async () => {
    const json = { hookUrl: `${receiver.origin}/late`, subscriptionType: 'late', ratePerSecond: 1 };
    await service.fetch('/api/hooks/subscribe/flows', { headers: { orgid: 'late', userid: 'ada' }, json });
    for (let n = 0; n < 30; n += 1) await publish(service, { orgId: 'late', type: 'late', data: { n } });
    await prometheus.fires('FlowHooksDeliveriesLate');
  });

  it('fires no more when all is over', async () => {
    for (const alert of [
      'FlowHooksDeadLetters',
      'FlowHooksListenersPaused',
      'FlowHooksDeliveriesLate',
      'FlowHooksAttemptsFail',
    ]) {
      await prometheus.resolves(alert);
    }
  });
}

describe('the alerts of docs/observability in a Prometheus that scrapes a service', function () {
  this.timeout(300_000);
  onPrometheus(alertsOfOneService);
});

describe('the alert about the main thread in a Prometheus that scrapes a service', function () {
  this.timeout(120_000);
  onPrometheus(() =>
    it('fires when the thread is blocked again and again, until it is not', async () => {
      const service = await startService();
      // An interval that is longer than each block: a scrape that times out would interrupt the series.
      const prometheus = await startPrometheus(new URL(service.origin).host, { factor: 60, scrapeMs: 3_000 });
      try {
        await untilFires(prometheus, 'FlowHooksEventLoopBlocked', async () => {
          process.kill(service.pid, 'SIGSTOP');
          await pause(1_200);
          process.kill(service.pid, 'SIGCONT');
        });
        await prometheus.resolves('FlowHooksEventLoopBlocked');
      } finally {
        await prometheus.stop();
        await service.stop('SIGKILL');
      }
    }),
  );
});
