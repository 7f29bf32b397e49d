import { expect } from 'chai';
import { listenerMetrics } from '../../../src/service/metrics/delivery-metrics.js';
import { openMetrics } from '../../../src/service/metrics/metrics.js';

describe('the metrics of listeners that fail', () => {
  it('count breakers that open and close, and notices by their percentage', async () => {
    const metrics = openMetrics();
    const { onBreaker, onNotice } = listenerMetrics(metrics);
    for (const to of ['open', 'open', 'closed'] as const) onBreaker(to);
    for (const percent of [50, 75, 50] as const) onNotice(percent);
    const text = await metrics.registry.metrics();
    expect(text).to.include('flow_hooks_breaker_changes_total{to="open"} 2');
    expect(text).to.include('flow_hooks_breaker_changes_total{to="closed"} 1');
    expect(text).to.include('flow_hooks_failing_listener_notices_total{percent="50"} 2');
    expect(text, 'begins at 0').to.include('flow_hooks_failing_listener_notices_total{percent="100"} 0');
  });
});
