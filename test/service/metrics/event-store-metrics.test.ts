import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openMetrics } from '../../../src/service/metrics/metrics.js';
import { countAppends } from '../../../src/service/metrics/store-metrics.js';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { observeAppends } from '../../../src/stores/event-store/observed-event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the metrics of the event store', () => {
  for (const { failure, failed } of [
    { failure: new StoreUnavailable('it is down'), failed: 1 },
    { failure: new StreamNotFound('flow-1'), failed: 0 },
  ]) {
    it(`count ${failed} failed appends where reading the stream before it ends with ${failure.code}`, async () => {
      const metrics = openMetrics();
      const embedded = openSqliteEventStore({ directory: temporaryDirectory() });
      const store: EventStore = { ...embedded, readStream: () => failing(failure) };
      const counted = observeAppends(store, countAppends(metrics));
      expect(await rejection(counted.readStream('flow-1')[Symbol.asyncIterator]().next())).to.equal(failure);
      const text = await metrics.registry.metrics();
      expect(text).to.include(`flow_hooks_event_store_appends_total{outcome="failed"} ${failed}\n`);
      await embedded.close();
    });
  }
});

// biome-ignore lint/correctness/useYield: it fails before the first
async function* failing(error: Error): AsyncGenerator<never> {
  throw error;
}
