import { expect } from 'chai';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { publish, subscribe } from '../support/service/journey.js';
import { scrape } from '../support/service/metrics.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const orgId = 'organisation-that-no-metric-names';

describe('the metrics of a service', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService();
    await subscribe(service, `${receiver.origin}/hook-that-no-metric-names`, { orgId });
    await publish(service, { orgId, type: 'flow.done', data: {} });
    await receiver.has(1);
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const sampleOf = async (sample: string) => (await scrape(service)).get(sample);

  it('are in the text format of Prometheus, without authentication', async () => {
    const response = await fetch(`${service.origin}/metrics`);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    expect((await scrape(service)).size).to.be.greaterThan(50);
  });

  it('contain no organisation, listener, user or path', async () => {
    await service.fetch('/a-path-that-no-metric-names');
    const text = await (await fetch(`${service.origin}/metrics`)).text();
    expect(text).not.to.match(/that-no-metric-names|127\.0\.0\.1|ada/);
  });

  it('count and time requests by route, method and class of status', async () => {
    const count = 'flow_hooks_http_request_duration_seconds_count';
    await service.fetch('/admin/api/tasks');
    await service.fetch('/nowhere');
    const samples = await scrape(service);
    expect(samples.get(`${count}{route="/api/hooks/subscribe/flows",method="POST",status="2xx"}`)).to.equal(1);
    expect(samples.get(`${count}{route="/admin/api/tasks",method="GET",status="4xx"}`)).to.equal(1);
    expect(samples.get(`${count}{route="none",method="GET",status="4xx"}`)).to.be.greaterThan(0);
  });

  it('count attempts and time deliveries of the dispatcher thread', async () => {
    const attempts = 'flow_hooks_delivery_attempts_total{outcome="succeeded",class="none"}';
    await until(async () => (await sampleOf(attempts)) === 1, 'the attempt to be counted');
    const samples = await scrape(service);
    expect(samples.get('flow_hooks_delivery_latency_seconds_count')).to.equal(1);
    expect(samples.get('flow_hooks_delivery_attempt_duration_seconds_count{outcome="succeeded"}')).to.equal(1);
  });

  it('show the contents of the queue', async () => {
    const succeeded = 'flow_hooks_deliveries{state="succeeded"}';
    await until(async () => (await sampleOf(succeeded)) === 1, 'the delivery to be recorded');
    const samples = await scrape(service);
    expect(samples.get('flow_hooks_deliveries{state="waiting"}')).to.equal(0);
    expect(samples.get('flow_hooks_set_aside_events')).to.equal(0);
    expect(samples.get('flow_hooks_delivery_oldest_due_age_seconds')).to.equal(0);
  });

  it('show the progress of views and fan-out, and the holders of the leases', async () => {
    const behind = async () => {
      const samples = await scrape(service);
      return [...samples].filter(([name, value]) => /_lag_positions/.test(name) && value > 0);
    };
    await until(async () => (await behind()).length === 0, 'everything to have caught up');
    const samples = await scrape(service);
    const head = samples.get('flow_hooks_event_store_head_position');
    expect(head).to.be.greaterThan(0);
    expect(samples.get('flow_hooks_view_position{view="listeners"}')).to.equal(head);
    expect(samples.get('flow_hooks_view_failing{view="listeners"}')).to.equal(0);
    expect(samples.get('flow_hooks_view_set_aside{view="listeners"}')).to.equal(0);
    expect(samples.get('flow_hooks_fan_out_position')).to.equal(head);
    expect(samples.get('flow_hooks_fan_out_failing')).to.equal(0);
    const leases = [...samples].filter(([name]) => name.startsWith('flow_hooks_lease_held{lease="view-listeners-v'));
    expect(leases.map(([, held]) => held)).to.deep.equal([1]);
    expect(samples.get('flow_hooks_lease_held{lease="fan-out"}')).to.equal(1);
  });

  it('count appends, and contain the process metrics with their standard names', async () => {
    const samples = await scrape(service);
    expect(samples.get('flow_hooks_event_store_appends_total{outcome="done"}')).to.be.greaterThan(1);
    expect(samples.get('process_resident_memory_bytes')).to.be.greaterThan(1_000_000);
    expect(samples.get('flow_hooks_event_store_resubscriptions_total')).to.equal(0);
  });
});
