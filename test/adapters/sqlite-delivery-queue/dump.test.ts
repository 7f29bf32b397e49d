import { expect } from 'chai';
import { histogramOf, noDurations } from '../../../src/queue/policy/activity.js';
import { openQueueDump } from '../../../src/queue/sqlite/commands/dump.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('a dump of the delivery queue on SQLite', () => {
  it('has the flow events with when they were recorded, where that was noted', async () => {
    const directory = temporaryDirectory();
    const { messages, ...rest } = batchOf([queuedListener()], 2);
    const noted = messages.map((message, index) => ({
      ...(index === 0 ? message : { ...message, recordedAt: undefined }),
      traceparent: undefined,
      terms: undefined,
    }));
    const queue = openSqliteDeliveryQueue({ directory });
    await queue.enqueue({ ...rest, messages: noted }, 900);
    await queue.close();

    const dump = openQueueDump(directory);
    expect([...dump.messages.batches()].flat()).to.deep.equal(noted);
    dump.close();
  });

  it('contains listeners with options and health, attempts, statistics, replays and held deliveries', async () => {
    const directory = temporaryDirectory();
    const now = Date.UTC(2026, 0, 31, 12);
    const previous = { keyGeneration: 'g0', version: 1, until: new Date(now).toISOString() };
    const secret = { keyGeneration: 'g1', version: 2, previous };
    const listener = queuedListener({ ordered: true, ratePerSecond: 2.5, transform: 'data.a', secret });
    const batch = batchOf([listener], 3);
    const deliveries = batch.deliveries.map((each, index) => (index === 2 ? { ...each, replay: 'one' } : each));
    const queue = openSqliteDeliveryQueue({ directory });
    await queue.enqueue({ ...batch, deliveries }, now);
    const [first] = (await queue.lease(leaseRequest({ now }))).deliveries;
    if (first) await queue.record([succeeded(first)], now);
    const [second] = (await queue.lease(leaseRequest({ now: now + 1_000 }))).deliveries;
    if (second) await queue.record([failed(second, now + 9_000)], now + 1_000);
    await queue.enqueue({ ...batchOf([{ ...listener, paused: true, position: 2n }]), deliveries: [] }, now);
    await queue.withdraw({ replay: 'one' });
    await queue.close();

    const dump = openQueueDump(directory);
    const rows = <Row>(section: { batches: () => Iterable<readonly Row[]> }) => [...section.batches()].flat();
    const [kept] = rows(dump.listeners);
    expect(kept).to.deep.include({
      subscription: listener.subscription,
      secret,
      paused: true,
      nextDue: undefined,
    });
    expect(kept?.health?.failing).to.include({ since: now + 1_000, attempts: 1 });
    const states = rows(dump.deliveries).map(({ state, replay, endedAt, log }) => [state, replay, endedAt, log.length]);
    expect(states).to.have.length(3);
    expect(states.slice(0, 2)).to.deep.equal([
      ['succeeded', undefined, now, 1],
      ['held', undefined, undefined, 1],
    ]);
    expect(states[2]?.slice(0, 2)).to.deep.equal(['cancelled', 'one']);
    expect(rows(dump.cancelledReplays)).to.deep.equal([{ replay: 'one' }]);
    const { listenerId } = listener;
    const attempts = { orgId: 'acme', listenerId, succeeded: 1, failed: 1, exhausted: 0, durationMs: 10 };
    expect(rows(dump.halfHours)).to.deep.equal([{ at: now, ...attempts }]);
    const again = openSqliteDeliveryQueue({ directory });
    await again.forget({ of: 'halfHours', before: now + 1, limit: 10 });
    await again.close();
    expect(rows(dump.halfHours)).to.deep.equal([]);
    expect(rows(dump.days)).to.deep.equal([{ day: '2026-01-31', ...attempts }]);
    expect(rows(dump.activity)).to.deep.equal([
      {
        at: now,
        events: 1,
        succeeded: 1,
        failed: 1,
        exhausted: 0,
        latency: noDurations,
        duration: histogramOf([5, 5]),
      },
    ]);
    expect(rows(dump.stateCounts)).to.deep.include({ state: 'held', deliveries: 1 });
    dump.close();
  });
});
