import { expect } from 'chai';
import type { LeasedDelivery, Outcome } from '../../src/deliveries/delivery-queue.js';
import { attemptMetrics } from '../../src/metrics/attempt-metrics.js';
import { openMetrics } from '../../src/metrics/metrics.js';

const delivery: LeasedDelivery = {
  ...{ id: 'd', webhookId: 'd', orgId: 'acme', eventId: 'e', listenerId: 'l', lease: '1', eventType: 'flow.a' },
  ...{ hookUrl: 'https://hooks.example.com/secret', keyGeneration: 'g1', secretVersion: 1, body: '{}' },
  ...{ attempt: 1, enqueuedAt: 1_000, ordered: false },
};
type WithoutLease<Each> = Each extends unknown ? Omit<Each, 'id' | 'lease'> : never;
const report = { startedAt: 3_000, durationMs: 500 };

describe('metrics of attempts', () => {
  async function told(...outcomes: readonly WithoutLease<Outcome>[]): Promise<string> {
    const metrics = openMetrics();
    const onAttempted = attemptMetrics(metrics);
    for (const outcome of outcomes) onAttempted(delivery, { id: 'd', lease: '1', ...outcome } as Outcome);
    return metrics.registry.metrics();
  }

  it('count attempts by outcome and by what went wrong', async () => {
    const text = await told(
      { kind: 'succeeded', report: { ...report, status: 204 } },
      { kind: 'failed', report: { ...report, status: 503, error: 'http_status' }, retryAt: 9_000, byHook: true },
      { kind: 'failed', report: { ...report, error: 'refused' }, retryAt: 9_000, byHook: true },
      { kind: 'exhausted', report: { ...report, status: 410, error: 'http_status' }, byHook: true },
    );
    const attempts = text.split('\n').filter((line) => line.startsWith('flow_hooks_delivery_attempts_total'));
    expect(attempts).to.have.members([
      'flow_hooks_delivery_attempts_total{outcome="succeeded",class="none"} 1',
      'flow_hooks_delivery_attempts_total{outcome="failed",class="http_5xx"} 1',
      'flow_hooks_delivery_attempts_total{outcome="failed",class="refused"} 1',
      'flow_hooks_delivery_attempts_total{outcome="exhausted",class="http_4xx"} 1',
    ]);
    expect(text).to.include('flow_hooks_delivery_attempt_duration_seconds_sum{outcome="failed"} 1\n');
  });

  it('time successes from when the delivery entered the queue, in seconds', async () => {
    const text = await told({ kind: 'succeeded', report: { ...report, status: 200 } });
    expect(text).to.include('flow_hooks_delivery_latency_seconds_sum 2.5\n');
  });

  it('time the first attempt from when the delivery entered the queue, and no later one', async () => {
    const text = await told({ kind: 'failed', report: { ...report, error: 'refused' }, retryAt: 9_000, byHook: true });
    expect(text).to.include('flow_hooks_delivery_first_attempt_latency_seconds_sum 2\n');
    const second = openMetrics();
    attemptMetrics(second)({ ...delivery, attempt: 2 }, { id: 'd', lease: '1', kind: 'succeeded', report });
    expect(await second.registry.metrics()).to.include('flow_hooks_delivery_first_attempt_latency_seconds_count 0\n');
  });

  it('count nothing where no attempt was made', async () => {
    expect(await told({ kind: 'released' })).not.to.match(/attempts_total\{/);
  });
});
