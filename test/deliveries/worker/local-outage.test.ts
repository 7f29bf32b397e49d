import { expect } from 'chai';
import pino from 'pino';
import type { LocalFailure } from '../../../src/deliveries/posting/failure-class.js';
import { type LocalOutage, localOutage } from '../../../src/deliveries/worker/outage/local-outage.js';

describe('failures on our side', () => {
  let now: number;
  let resolvedAt: number;
  let inFlight: number;
  let wakeUps: number;
  let shortages: number;
  let logged: string[];
  let outage: LocalOutage;

  beforeEach(() => {
    now = 100_000;
    resolvedAt = Number.NEGATIVE_INFINITY;
    inFlight = 1;
    wakeUps = 0;
    shortages = 0;
    logged = [];
    outage = localOutage({
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
      namesResolvedAt: () => resolvedAt,
      inFlight: () => inFlight,
      onShortage: () => {
        shortages += 1;
      },
      onReached: () => {
        wakeUps += 1;
      },
      now: () => now,
    });
  });

  const listener = (host: string, name = 'callback') => ({
    listenerId: `${host}/${name}`,
    hookUrl: `https://${host}/${name}`,
  });
  const failed = (host: string, failure: LocalFailure = 'local_network', name?: string) =>
    outage.failed(listener(host, name), failure, now);
  const answered = (host: string) => outage.reached(listener(host), { answered: true });

  it('are an outage where no host answers, in which all wait and one is leased every three seconds', () => {
    expect(failed('one.example')).to.equal(true);
    expect(outage.isCurrent()).to.equal(true);
    expect(outage.status()).to.include({ failure: 'local_network', released: 1 });
    expect(outage.probeInMs()).to.equal(3_000);
    now += 3_000;
    expect(outage.probeInMs()).to.equal(0);
    inFlight = 0;
    expect(outage.maxInFlight()).to.equal(1);
    outage.probed(1);
    expect(failed('two.example')).to.equal(true);
    expect(outage.probeInMs()).to.equal(3_000);
    expect(outage.failingListeners()).to.deep.equal(['one.example/callback', 'two.example/callback']);
  });

  for (const how of ['an answer', 'a timeout of the listener'] as const) {
    it(`end with ${how}, and wake the worker`, () => {
      failed('one.example');
      outage.reached(listener('two.example'), { answered: how === 'an answer' });
      expect(outage.isCurrent()).to.equal(false);
      expect(outage.maxInFlight()).to.equal(Number.POSITIVE_INFINITY);
      expect(wakeUps).to.equal(1);
    });
  }

  it('leave the deliveries to other instances for a minute once no host was reached for ten seconds', () => {
    failed('one.example');
    now += 9_999;
    expect(outage.isCutOff()).to.equal(false);
    now += 1;
    expect(outage.isCutOff()).to.equal(true);
    outage.probed(0); // nothing waits here any more
    now += 59_999;
    expect(outage.isCutOff()).to.equal(true);
    now += 1;
    expect(outage.isCutOff()).to.equal(false);
    failed('one.example');
    now += 10_000;
    expect(outage.isCutOff()).to.equal(true);
    answered('one.example');
    expect(outage.isCutOff()).to.equal(false);
  });

  it('end where nothing waits any more', () => {
    failed('one.example');
    now += 3_000;
    outage.probed(0);
    expect(outage.isCurrent()).to.equal(false);
  });

  it('are reported for ten seconds after the last one, and logged once at the beginning and once at the end', () => {
    failed('one.example');
    answered('two.example');
    now += 5_000;
    failed('one.example');
    answered('two.example');
    now += 10_000;
    expect(outage.status()).to.include({ failure: 'local_network', released: 2 });
    now += 1;
    expect(outage.status()).to.equal(undefined);
    expect(logged).to.have.length(2);
  });

  it('at one host make its listeners wait, and no others, while other hosts answer', () => {
    answered('healthy.example');
    expect(failed('unreachable.example')).to.equal(true);
    expect(outage.isCurrent()).to.equal(false);
    expect(outage.listenerLimits()).to.deep.equal(new Map([['unreachable.example/callback', 0]]));
    expect(outage.retryInMs()).to.equal(3_000);
    now += 3_000;
    expect(outage.listenerLimits()).to.deep.equal(new Map([['unreachable.example/callback', 1]]));
    expect(outage.listenerLimits()).to.deep.equal(new Map([['unreachable.example/callback', 0]]));
    answered('unreachable.example');
    expect(outage.listenerLimits().size).to.equal(0);
  });

  it('make a listener wait no longer where nothing of it was due when it was its turn', () => {
    answered('healthy.example');
    failed('unreachable.example');
    for (const limit of [1, undefined]) {
      now += 3_000;
      expect(outage.listenerLimits().get('unreachable.example/callback')).to.equal(limit);
    }
    expect(outage.retryInMs()).to.equal(undefined);
  });

  /** Fails and, in between, has another host answer. */
  function failWhileOthersAnswer(rounds: number, failure: LocalFailure): readonly boolean[] {
    return Array.from({ length: rounds }, () => {
      answered('healthy.example');
      const released = failed('unreachable.example', failure);
      now += 3_000;
      return released;
    });
  }

  it('use attempts of the schedule from the fourth round on at a host that fails alone, until it answers', () => {
    expect(failWhileOthersAnswer(5, 'local_network')).to.deep.equal([true, true, true, false, false]);
    expect(outage.listenerLimits().size).to.equal(0);
    answered('unreachable.example');
    expect(failWhileOthersAnswer(1, 'local_network')).to.deep.equal([true]);
  });

  it('count as one round where many attempts at a host fail together', () => {
    answered('healthy.example');
    for (let n = 0; n < 10; n += 1) {
      answered('healthy.example');
      expect(failed('unreachable.example', 'local_network', `${n}`)).to.equal(true);
      now += 1;
    }
  });

  it('use no attempt at a host that failed alone before, once no other host answers either', () => {
    failWhileOthersAnswer(4, 'local_network');
    now += 60_000; // the schedule's delay, in which nothing answers
    expect(failed('unreachable.example')).to.equal(true);
    expect(outage.isCurrent()).to.equal(true);
  });

  it('of the resolver use no attempt while no name is resolved, though hosts answer that need none', () => {
    expect(failWhileOthersAnswer(10, 'resolver')).to.deep.equal(Array(10).fill(true));
  });

  it('of the resolver at one name use attempts where other names are resolved', () => {
    const released = Array.from({ length: 5 }, () => {
      resolvedAt = now;
      now += 100;
      const back = failed('broken.example', 'resolver');
      now += 3_000;
      return back;
    });
    expect(released).to.deep.equal([true, true, true, false, false]);
  });

  it('for lack of resources never use an attempt, and halve the attempts in flight once for those that failed together', () => {
    inFlight = 100;
    const beganAt = now;
    now += 5;
    for (let n = 0; n < 50; n += 1)
      expect(outage.failed(listener('h.example'), 'local_resources', beganAt)).to.equal(true);
    expect(shortages).to.equal(1);
    answered('h.example');
    expect(outage.maxInFlight()).to.equal(50);
    inFlight = 50;
    now += 5;
    failed('h.example', 'local_resources');
    answered('h.example');
    expect(outage.maxInFlight()).to.equal(25);
    now += 10_000;
    expect(outage.maxInFlight()).to.equal(50);
    now += 100_000;
    expect(outage.maxInFlight()).to.equal(Number.POSITIVE_INFINITY);
    expect(failWhileOthersAnswer(10, 'local_resources')).to.deep.equal(Array(10).fill(true));
  });

  it('are an outage where more listeners fail than a lease request can name', () => {
    answered('healthy.example');
    for (let n = 0; n < 1_000; n += 1) failed(`${n}.example`);
    expect(outage.isCurrent()).to.equal(false);
    failed('another.example');
    expect(outage.isCurrent()).to.equal(true);
    expect(outage.failingListeners()).to.have.length(1_000);
  });
});
