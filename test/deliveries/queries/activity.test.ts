import { expect } from 'chai';
import { recentActivity } from '../../../src/deliveries/queries/activity.js';
import { listenersInTrouble } from '../../../src/listeners/queries/listener-health.js';
import type { ActivityQuery } from '../../../src/queue/delivery-log.js';
import type { ListedListener, ListenersQuery } from '../../../src/queue/listener-log.js';
import { histogramOf, noActivity } from '../../../src/queue/policy/activity.js';

const noon = Date.UTC(2026, 0, 31, 12);
const minute = 60_000;

describe('the recent activity', () => {
  const activityOf = async ({ from, to }: ActivityQuery) =>
    [
      { at: noon - 2 * minute, ...noActivity, events: 4, succeeded: 1, latency: histogramOf([40]) },
      { at: noon, ...noActivity, succeeded: 2, failed: 1, exhausted: 1, latency: histogramOf([300, 300]) },
    ].filter(({ at }) => at >= from && at < to);

  it('has every minute, also those in which nothing happened, and the sum of all', async () => {
    const recent = await recentActivity({ activity: activityOf }, { minutes: 3, now: noon + 30_000 });
    expect(recent.minutes.map(({ at, events, succeeded }) => [at, events, succeeded])).to.deep.equal([
      ['2026-01-31T11:58:00.000Z', 4, 1],
      ['2026-01-31T11:59:00.000Z', 0, 0],
      ['2026-01-31T12:00:00.000Z', 0, 2],
    ]);
    expect(recent.total).to.include({ events: 4, succeeded: 3, failed: 1, exhausted: 1 });
    expect(recent.total.latencyMs).to.deep.equal({ p50: 312.5, p95: 481.2 });
    expect(recent.total.durationMs).to.deep.equal({ p50: null, p95: null });
  });

  it('ends with the current minute', async () => {
    const { minutes } = await recentActivity({ activity: activityOf }, { minutes: 1, now: noon + minute - 1 });
    expect(minutes.map(({ at }) => at)).to.deep.equal(['2026-01-31T12:00:00.000Z']);
  });
});

describe('listeners in trouble', () => {
  const listener: ListedListener = {
    listenerId: 'one',
    orgId: 'acme',
    hookUrl: 'https://hooks.example.com/a-secret',
    health: { recent: [] },
    paused: false,
    dueSince: noon,
    waiting: 412,
    held: 3,
  };
  const troubleOf = async (fields: Partial<ListedListener>) => {
    const queue = { listeners: async () => [{ ...listener, ...fields }] };
    const [found] = await listenersInTrouble(queue, { limit: 10, now: noon });
    return found;
  };

  it('are shown with what keeps their deliveries back, and without their URL', async () => {
    expect(await troubleOf({})).to.deep.equal({
      listenerId: 'one',
      orgId: 'acme',
      hookUrl: 'https://hooks.example.com/…',
      trouble: 'overdue',
      failingSince: null,
      failedAttempts: 0,
      openUntil: null,
      dueSince: '2026-01-31T12:00:00.000Z',
      lastFailure: null,
      waiting: 412,
      held: 3,
    });
    const last = { at: noon, status: 503, answer: 'busy' };
    const failing = { since: noon - minute, attempts: 7, last };
    const breaker = { openings: 1, openUntil: noon + minute, probing: false };
    expect(await troubleOf({ health: { recent: [], failing, breaker } })).to.include({
      trouble: 'breaker',
      failingSince: '2026-01-31T11:59:00.000Z',
      failedAttempts: 7,
      openUntil: '2026-01-31T12:01:00.000Z',
    });
    expect((await troubleOf({ health: { recent: [], failing } }))?.lastFailure).to.deep.equal({
      ...{ at: '2026-01-31T12:00:00.000Z', status: 503, error: null, answer: 'busy' },
    });
    expect(await troubleOf({ health: { recent: [], failing }, paused: true, dueSince: undefined })).to.include({
      trouble: 'paused',
      dueSince: null,
    });
  });

  it('are overdue a minute after they were due', async () => {
    const asked: ListenersQuery[] = [];
    const queue = {
      listeners: async (query: ListenersQuery) => {
        asked.push(query);
        return [];
      },
    };
    await listenersInTrouble(queue, { limit: 10, now: noon });
    expect(asked).to.deep.equal([{ dueBefore: noon - minute, limit: 10 }]);
  });
});
