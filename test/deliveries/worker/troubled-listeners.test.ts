import { expect } from 'chai';
import pino from 'pino';
import {
  type FailureReport,
  type TroubledListenersSettings,
  watchTroubledListeners,
} from '../../../src/deliveries/worker/troubled-listeners.js';
import { defaultFailingPolicy } from '../../../src/listeners/commands/failing-listener.js';
import type { TroubledListener } from '../../../src/queue/leasing.js';
import { healthy, type ListenerHealth } from '../../../src/queue/policy/listener-health.js';
import { until } from '../../support/until.js';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

describe('listeners that are troubled', () => {
  let now: number;
  let logged: Record<string, unknown>[];
  let told: FailureReport[];
  let changes: string[];
  let watch: (troubled: readonly TroubledListener[]) => void;

  const begin = (fields: Partial<TroubledListenersSettings> = {}) => {
    now = start;
    [logged, told, changes] = [[], [], []];
    watch = watchTroubledListeners({
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
      clock: () => now,
      failingPolicy: defaultFailingPolicy,
      onFailing: async (listener) => {
        told.push(listener);
        return 50;
      },
      observer: {
        onBreaker: (to) => changes.push(to),
        onNotice: (percent) => changes.push(String(percent)),
      },
      ...fields,
    });
  };
  beforeEach(() => begin());

  const listener = (before: ListenerHealth, health: ListenerHealth): TroubledListener => ({
    listenerId: 'l1',
    orgId: 'acme',
    hookUrl: 'https://hooks.example.com/secret?key=1',
    before,
    health,
  });
  const failing = (attempts: number): TroubledListener =>
    listener(healthy, { recent: [], failing: { since: start, attempts } });
  const open = (openings: number): ListenerHealth => ({
    recent: [],
    breaker: { openings, openUntil: start + 30_000, probing: false },
  });

  it('are logged when their breaker opens, opens again and closes, their URLs masked', () => {
    watch([listener(healthy, open(1))]);
    watch([listener(open(1), open(1))]);
    watch([listener(open(1), open(2))]);
    watch([listener(open(2), healthy)]);
    expect(changes).to.deep.equal(['open', 'open', 'closed']);
    expect(logged.map(({ msg }) => msg)).to.deep.equal([
      'the circuit breaker of a listener has opened',
      'the circuit breaker of a listener has opened',
      'the circuit breaker of a listener has closed',
    ]);
    expect(logged[0]).to.include({ hookUrl: 'https://hooks.example.com/…', openings: 1 });
    expect(JSON.stringify(logged)).not.to.include('secret');
  });

  it('are reported once for each step on the way to be paused', async () => {
    watch([failing(19)]); // many, but all of today
    now = start + 2.5 * day;
    expect(told).to.have.length(0);
    watch([failing(2)]); // few, but over a long time
    watch([failing(11)]);
    expect(told).to.have.length(1);
    now = start + 3.75 * day;
    watch([failing(15)]);
    expect(told).to.have.length(2);
    await until(() => changes.length === 2, 'the notices');
    expect(logged.at(-1)).to.include({ percent: 50, failures: 15, hookUrl: 'https://hooks.example.com/…' });
  });

  it('are looked at again after a while, for a listener may have been resumed since', () => {
    now = start + 6 * day;
    watch([failing(30)]);
    now += 60_000;
    watch([failing(31)]);
    expect(told).to.have.length(1);
    now += 600_000;
    watch([failing(32)]);
    expect(told).to.have.length(2);
  });

  it('are reported at once if they fail anew, after a success or a resume', () => {
    begin({ failingPolicy: { afterMs: 60_000 } });
    now = start + 60_000;
    watch([failing(5)]);
    watch([failing(6)]);
    expect(told).to.have.length(1);
    now += 90_000;
    watch([listener(healthy, { recent: [], failing: { since: now - 60_000, attempts: 2 } })]);
    expect(told).to.have.length(2);
  });

  it('are reported again if the report could not be recorded', async () => {
    let failures = 1;
    begin({
      onFailing: async (listenerInTrouble) => {
        told.push(listenerInTrouble);
        failures -= 1;
        if (failures >= 0) throw new Error('the store is down');
        return 0;
      },
    });
    now = start + 6 * day;
    watch([failing(30)]);
    await until(() => logged.length === 1, 'the complaint');
    watch([failing(31)]);
    expect(told).to.have.length(2);
    expect(changes).to.deep.equal([]);
  });

  it('are never paused where that is off', () => {
    begin({ failingPolicy: undefined });
    now = start + 60 * day;
    watch([failing(1_000)]);
    expect(told).to.have.length(0);
  });
});
