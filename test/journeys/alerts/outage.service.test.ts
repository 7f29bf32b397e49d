import { onPrometheus, type Prometheus, startPrometheus } from '../../support/prometheus/prometheus.js';
import { publish, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

/** The system refuses to connect to a broadcast address, as it does without a route. */
const noRoute = 'http://127.255.255.255/hook';
const alerts = ['FlowHooksOutage', 'FlowHooksDeliveriesStand'];

function alertsOfOutage(): void {
  let service: ServiceProcess;
  let prometheus: Prometheus;

  before(async () => {
    service = await startService();
    prometheus = await startPrometheus(new URL(service.origin).host, { factor: 60, scrapeMs: 1_000 });
  });
  after(async () => {
    await prometheus?.stop();
    await service.stop('SIGKILL');
  });

  it('fire when an instance reaches no listener, until no delivery waits', async () => {
    await subscribe(service, noRoute);
    await publish(service, { type: 'flow.done', data: {} });
    for (const alert of alerts) await prometheus.fires(alert);
    await unsubscribe(service, noRoute);
    for (const alert of alerts) await prometheus.resolves(alert);
  });
}

describe('the alerts about an outage in a Prometheus that scrapes a service', function () {
  this.timeout(300_000);
  onPrometheus(alertsOfOutage);
});
