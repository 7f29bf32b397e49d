import { join } from 'node:path';
import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { startCluster } from '../../support/service/cluster.js';
import { subscribe } from '../../support/service/journey.js';
import { exportingTo, spansIn } from '../../support/spans/exported-spans.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

onMongoDb('a trace over several instances', (mongoDb) => {
  it('is one from the request at an instance to the attempt of another, which fails and is repeated', async () => {
    const file = join(temporaryDirectory(), 'spans.jsonl');
    const receiver = await startReceiver();
    const cluster = await startCluster(mongoDb);
    try {
      const api = await cluster.startInstance({ ...exportingTo(file), ROLES: 'api' });
      const work = { ROLES: 'projector,dispatcher', RETRY_SCHEDULE: '1s' };
      const worker = await cluster.startInstance({ ...exportingTo(file), ...work });
      await subscribe(api, `${receiver.origin}/hook`);
      receiver.answer(503);
      const published = await api.fetch('/api/flows', {
        json: { orgId: 'acme', type: 'flow.done', data: {} },
        headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      });
      expect(published.status).to.equal(202);
      await receiver.has(1);
      receiver.answer(200);
      await receiver.has(2);
      await Promise.all([api.stop(), worker.stop()]);

      const spans = spansIn(file).filter((span) => span.traceId === traceId);
      const [append] = spans.filter(({ name }) => name === 'append flow');
      const [fanOut] = spans.filter(({ name }) => name === 'fan_out flow');
      expect(append?.pid).to.equal(api.pid);
      expect(fanOut).to.include({ pid: worker.pid, parentSpanId: append?.spanId });
      const attempts = spans.filter(({ name }) => name === 'POST');
      expect(attempts.map(({ failed, parentSpanId }) => ({ failed, parentSpanId }))).to.deep.equal([
        { failed: true, parentSpanId: fanOut?.spanId },
        { failed: false, parentSpanId: fanOut?.spanId },
      ]);
      expect(attempts[1]?.attributes).to.include({ 'http.request.resend_count': 1 });
    } finally {
      await receiver.close();
      await cluster.close();
    }
  });
});
