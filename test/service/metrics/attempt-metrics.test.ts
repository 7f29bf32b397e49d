import { expect } from 'chai';
import type { AttemptOutcome, LeasedDelivery } from '../../../src/queue/leasing.js';
import { attemptMetrics } from '../../../src/service/metrics/delivery-metrics.js';
import { openMetrics } from '../../../src/service/metrics/metrics.js';
import { plainSubscription, secretOf } from '../../listeners/fixtures.js';

const delivery: LeasedDelivery = {
  id: 'd',
  webhookId: 'd',
  orgId: 'acme',
  eventId: 'e',
  listenerId: 'l',
  asRead: '0.0',
  eventType: 'flow.a',
  hookUrl: 'https://hooks.example.com/secret',
  subscription: plainSubscription,
  secret: secretOf(1),
  body: '{}',
  attempt: 1,
  enqueuedAt: 1_000,
  recordedAt: 500,
};
const report = { startedAt: 3_000, durationMs: 500 };

/** The samples of attempts that are not 0. */
const counted = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith('flow_hooks_delivery_attempts_total') && !line.endsWith(' 0'));

describe('metrics of attempts', () => {
  const metricsAfter = (...outcomes: readonly AttemptOutcome[]): Promise<string> => metricsOf({}, ...outcomes);

  async function metricsOf(fields: Partial<LeasedDelivery>, ...outcomes: readonly AttemptOutcome[]): Promise<string> {
    const metrics = openMetrics();
    const onAttempted = attemptMetrics(metrics);
    for (const outcome of outcomes) onAttempted({ ...delivery, ...fields }, outcome);
    return metrics.registry.metrics();
  }

  it('count attempts by outcome and by class of failure', async () => {
    const text = await metricsAfter(
      { kind: 'succeeded', report: { ...report, status: 204 } },
      { kind: 'failed', report: { ...report, status: 503, error: 'http_status' }, retryAt: 9_000, byListener: true },
      { kind: 'failed', report: { ...report, error: 'refused' }, retryAt: 9_000, byListener: true },
      { kind: 'exhausted', report: { ...report, status: 410, error: 'http_status' }, byListener: true },
    );
    expect(counted(text)).to.have.members([
      'flow_hooks_delivery_attempts_total{outcome="succeeded",class="none"} 1',
      'flow_hooks_delivery_attempts_total{outcome="failed",class="http_5xx"} 1',
      'flow_hooks_delivery_attempts_total{outcome="failed",class="refused"} 1',
      'flow_hooks_delivery_attempts_total{outcome="exhausted",class="http_4xx"} 1',
    ]);
    expect(text).to.include('flow_hooks_delivery_attempt_duration_seconds_sum{outcome="failed"} 1\n');
  });

  it('count deliveries released for a failure on our side apart from attempts', async () => {
    const text = await metricsAfter({ kind: 'released', failure: 'local_network' }, { kind: 'released' });
    expect(text).to.include('flow_hooks_deliveries_released_total{class="local_network"} 1\n');
    expect(text).not.to.match(/given_back_total\{class="undefined/);
    expect(counted(text)).to.deep.equal([]);
  });

  it('time successes from the recording of the flow event, in seconds', async () => {
    const text = await metricsAfter({ kind: 'succeeded', report: { ...report, status: 200 } });
    expect(text).to.include('flow_hooks_delivery_latency_seconds_sum 3\n');
  });

  it('time only the first attempt from the recording of the flow event', async () => {
    const text = await metricsAfter({
      kind: 'failed',
      report: { ...report, error: 'refused' },
      retryAt: 9_000,
      byListener: true,
    });
    expect(text).to.include('flow_hooks_delivery_first_attempt_latency_seconds_sum 2.5\n');
    const later = await metricsOf({ attempt: 2 }, { kind: 'succeeded', report });
    expect(later).to.include('flow_hooks_delivery_latency_seconds_sum 3\n');
    expect(later).to.include('flow_hooks_delivery_first_attempt_latency_seconds_count 0\n');
  });

  const enteringTheQueue: readonly [string, Partial<LeasedDelivery>][] = [
    ['a replay, whose event happened long ago', { replay: 'r' }],
    ['a sample, which is no flow event', { replay: 'test-1', recordedAt: undefined }],
    ['an event without a recording time', { recordedAt: undefined }],
  ];
  for (const [what, fields] of enteringTheQueue) {
    it(`time from entering the queue for ${what}`, async () => {
      const text = await metricsOf(fields, { kind: 'succeeded', report });
      expect(text).to.include('flow_hooks_delivery_first_attempt_latency_seconds_sum 2\n');
      expect(text).to.include('flow_hooks_delivery_latency_seconds_sum 2.5\n');
    });
  }

  it('count a negative time as zero, if the clocks of producer and service differ', async () => {
    const text = await metricsOf({ recordedAt: 60_000 }, { kind: 'succeeded', report });
    expect(text).to.include('flow_hooks_delivery_first_attempt_latency_seconds_sum 0\n');
    expect(text).to.include('flow_hooks_delivery_latency_seconds_sum 0\n');
  });

  it('count nothing if no attempt was made', async () => {
    expect(counted(await metricsAfter({ kind: 'released' }))).to.deep.equal([]);
  });

  it('begin at 0 before the first attempt, so that an alert sees the first failure as an increase', async () => {
    const text = await metricsAfter();
    for (const outcome of ['failed', 'exhausted']) {
      for (const failure of ['http_5xx', 'refused', 'timeout', 'transform', 'target_not_allowed']) {
        expect(text).to.include(`flow_hooks_delivery_attempts_total{outcome="${outcome}",class="${failure}"} 0\n`);
      }
    }
    expect(text).to.include('flow_hooks_deliveries_released_total{class="local_resources"} 0\n');
    expect(text).to.include('flow_hooks_delivery_attempt_duration_seconds_count{outcome="exhausted"} 0\n');
  });
});
