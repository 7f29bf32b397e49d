import { setTimeout as pause } from 'node:timers/promises';
import { jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import type { NewEvent } from '../../../../src/stores/event-store/event-store.js';
import { Connection } from '../../../../src/stores/event-store/eventstoredb/connection/connection.js';
import { parseConnectionString } from '../../../../src/stores/event-store/eventstoredb/connection/connection-string.js';
import {
  type EventStoreDb,
  openEventStoreDb,
} from '../../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { NoAnswer } from '../../../../src/stores/event-store/eventstoredb/failures.js';
import { type DoubleProcess, startDoubleProcess } from '../../../eventstoredb-double/src/double-process.js';
import {
  type EventStoreCluster,
  type Member,
  startEventStoreCluster,
} from '../../../eventstoredb-double/src/start-cluster.js';
import { startEventStoreDouble } from '../../../eventstoredb-double/src/start-double.js';
import { startTcpRelay } from '../../../eventstoredb-double/src/tcp-relay.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import { durationOf, idsOf, newEvent, newEvents, newStream } from './support.js';

/** A quarter of the service's deadlines. */
const timing = { callMs: 500, totalMs: 1_250, quietMs: 60 };
const electionMs = { detectMs: 500, electMs: 375 };
/** Time that a call to a frozen node exceeds without its own deadlines. */
const hangMs = 60_000;

/** Appends, again where it is not known to have succeeded: with the same ids that is one append. */
async function append(store: EventStoreDb, stream: string, events: readonly NewEvent[]): Promise<void> {
  while (!(await store.append(stream, events).catch(() => undefined)));
}

describe('a cluster of EventStoreDB with a frozen node', function () {
  this.timeout(60_000);
  let cluster: EventStoreCluster;
  let stores: EventStoreDb[];

  beforeEach(async () => {
    cluster = await startEventStoreCluster(electionMs);
    stores = [];
  });
  afterEach(async () => {
    for (const member of cluster.members) await cluster.thaw(member);
    await Promise.all(stores.map((store) => store.close()));
    await cluster.stop();
  });

  function open(options = ''): EventStoreDb {
    const store = openEventStoreDb({ url: `${cluster.url}${options}`, timing });
    stores.push(store);
    return store;
  }

  function leaderOf({ leader }: EventStoreCluster): Member {
    if (!leader) throw new Error('there is no leader');
    return leader;
  }

  /** Appends an event every so often, until one succeeds. */
  async function untilAppended(store: EventStoreDb, everyMs: number): Promise<void> {
    const startedAt = performance.now();
    let appended = false;
    while (!appended) {
      void store.append(newStream(), [newEvent()]).then(
        () => {
          appended = true;
        },
        () => undefined, // the next one is tried
      );
      const nextAt = performance.now() + everyMs;
      while (!appended && performance.now() < nextAt) await pause(5);
      if (performance.now() - startedAt > hangMs) throw new Error('nothing was appended');
    }
  }

  for (const [load, everyMs] of [
    ['hardly any', 1_750],
    ['many', 50],
  ] as const) {
    it(`takes appends again soon after its leader froze, where there are ${load}`, async () => {
      const store = open();
      await append(store, newStream(), [newEvent()]);
      const frozen = leaderOf(cluster);
      cluster.freeze(frozen);
      await untilAppended(store, everyMs);
      expect(leaderOf(cluster)).to.not.equal(frozen);
    });
  }

  for (const [role, preference] of [
    ['leader', 'leader'],
    ['follower', 'follower'],
  ] as const) {
    it(`gives a subscription that hung on the frozen ${role} all events once, in order`, async () => {
      const [store, writer] = [open(`&nodePreference=${preference}`), open()];
      const stop = new AbortController();
      const seen: string[] = [];
      const reading = (async () => {
        for await (const { events } of store.subscribe({ filter: { categories: ['test'] }, signal: stop.signal }))
          seen.push(...idsOf(events));
      })();
      const stream = newStream();
      const before = newEvents(3);
      await append(writer, stream, before);
      await until(() => seen.length === 3, 'the first events');
      const hung = cluster.members.find(({ node }) => node.subscriptions > 0);
      if (!hung) throw new Error('no node has the subscription');
      expect(hung === cluster.leader).to.equal(role === 'leader');

      cluster.freeze(hung);
      const after: NewEvent[] = [];
      const startedAt = performance.now();
      while (seen.length === 3 && performance.now() - startedAt < hangMs) {
        const event = newEvent();
        await append(writer, stream, [event]);
        after.push(event);
        await pause(50);
      }
      expect(seen.length).to.be.above(3);
      expect(cluster.members.some((member) => member !== hung && member.node.subscriptions > 0)).to.equal(true);
      await cluster.thaw(hung);
      const last = newEvent();
      await append(writer, stream, [last]);
      await until(() => seen.includes(last.id), 'the last event');
      expect(seen).to.deep.equal(idsOf([...before, ...after, last]));
      stop.abort();
      await reading;
    });
  }

  it('does not interrupt reads from it', async () => {
    const store = open();
    const stream = newStream();
    const events = newEvents(3_000);
    for (let from = 0; from < events.length; from += 100) await append(store, stream, events.slice(from, from + 100));
    const read: string[] = [];
    for await (const { id } of store.readStream(stream)) {
      if (read.push(id) !== 1) continue;
      cluster.freeze(leaderOf(cluster));
      await pause(4 * timing.callMs); // the connection has been given up meanwhile
    }
    expect(read).to.deep.equal(idsOf(events));
  });

  it('ends the calls that wait for its answer, however long they may', async () => {
    const connection = new Connection(parseConnectionString(cluster.url), { callMs: timing.callMs });
    const event = jsonEvent({ type: 'SomethingHappened', data: {} });
    await connection.appendToStream(newStream(), event);
    cluster.freeze(leaderOf(cluster));
    const appending = connection.appendToStream(newStream(), event, { deadline: 10 * hangMs });
    expect(await rejection(appending)).to.be.instanceOf(NoAnswer);
    await connection.close();
  });

  it('is found at once by new clients, at each seed', async () => {
    const [frozen] = cluster.followers;
    if (!frozen) throw new Error('there are no followers');
    cluster.freeze(frozen);
    for (let count = 0; count < 6; count += 1)
      expect(await durationOf(open().append(newStream(), [newEvent()]))).to.be.below(timing.callMs);
  });

  it('is not asked for the frozen leader again while the others still believe in it', async () => {
    const store = open();
    await append(store, newStream(), [newEvent()]);
    const frozen = leaderOf(cluster);
    cluster.freeze(frozen);
    await until(() => cluster.leader !== undefined && cluster.leader !== frozen, 'another leader');
    await cluster.thaw(frozen);
    // Now it is the other way round: who was frozen leads again, soon after it had failed.
    const second = leaderOf(cluster);
    await untilAppended(store, 50);
    cluster.freeze(second);
    await untilAppended(store, 50);
    expect(leaderOf(cluster)).to.not.equal(second);
  });
});

describe('a cluster of EventStoreDB whose leader froze', function () {
  this.timeout(60_000);

  async function appendedAfterElection(electionMs: number): Promise<number> {
    const cluster = await startEventStoreCluster({ detectMs: electionMs / 2, electMs: electionMs / 2 });
    const store = openEventStoreDb({ url: cluster.url });
    await append(store, newStream(), [newEvent()]);
    const { leader: frozen } = cluster;
    if (!frozen) throw new Error('there is no leader');
    let appendedAt: number | undefined;
    cluster.freeze(frozen);
    const appending = (async () => {
      while (appendedAt === undefined) {
        void store.append(newStream(), [newEvent()]).then(
          () => (appendedAt ??= performance.now()),
          () => undefined, // the next one is tried
        );
        await pause(50);
      }
    })();
    await until(() => cluster.leader !== undefined && cluster.leader !== frozen, 'another leader', { everyMs: 5 });
    const electedAt = performance.now();
    await appending;
    await cluster.thaw(frozen);
    await store.close();
    await cluster.stop();
    return (appendedAt ?? Number.NaN) - electedAt;
  }

  it('takes appends again soon after an election that took 1, 4 or 8 s', async () => {
    const took = await Promise.all([1_000, 4_000, 8_000].map(appendedAfterElection));
    console.log(`      ${took.map(Math.round).join(', ')} ms after the election`);
    for (const tookMs of took) expect(tookMs).to.be.below(hangMs);
  });
});

describe('a cluster of EventStoreDB that elects a leader for longer than an append may take', function () {
  this.timeout(60_000);

  it('serves callers during the election', async () => {
    const totalMs = 4_000;
    const cluster = await startEventStoreCluster({ detectMs: 50, electMs: totalMs * 1.4 });
    const store = openEventStoreDb({ url: cluster.url, timing: { ...timing, totalMs, failingMs: 100 } });
    await append(store, newStream(), [newEvent()]);
    const { leader } = cluster;
    if (!leader) throw new Error('there is no leader');
    await cluster.kill(leader);
    const asked: { at: number; served: Promise<boolean> }[] = [];
    while (cluster.leader === undefined || cluster.leader === leader) {
      const served = store.append(newStream(), [newEvent()]).then(
        () => true,
        () => false,
      );
      asked.push({ at: performance.now(), served });
      await pause(50);
    }
    const electedAt = performance.now();
    const marginMs = 1_500; // to find the leader, and to try again
    const inTime = asked.filter(({ at }) => at > electedAt - totalMs + marginMs);
    expect(await Promise.all(inTime.map(({ served }) => served))).to.not.include(false);
    expect(inTime.length).to.be.greaterThan(10);
    expect(await asked[0]?.served).to.equal(false); // so there was trouble before
    await store.close();
    await cluster.thaw(leader);
    await cluster.stop();
  });
});

describe('a single EventStoreDB that was frozen', function () {
  this.timeout(60_000);

  it('is used again automatically once it continues', async () => {
    const double: DoubleProcess = await startDoubleProcess();
    const store = openEventStoreDb({ url: double.url, timing });
    const stream = newStream();
    const seen: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { events } of store.subscribe({ signal: stop.signal })) seen.push(...idsOf(events));
    })();
    const [first, last] = [newEvent(), newEvent()];
    await append(store, stream, [first]);
    process.kill(double.pid ?? 0, 'SIGSTOP');
    const failing = store.append(stream, [newEvent()]);
    expect(await durationOf(failing)).to.be.within(timing.totalMs - timing.callMs, hangMs);
    await pause(3_000); // its connections have been given up several times
    process.kill(double.pid ?? 0, 'SIGCONT');
    await append(store, stream, [last]);
    await until(() => seen.includes(last.id), 'the last event');
    expect(seen[0]).to.equal(first.id);
    stop.abort();
    await reading;
    await store.close();
    await double.kill('SIGTERM');
  });

  it('is reached over new connections where those that were open are dead without a word', async () => {
    const double = await startEventStoreDouble();
    const relay = await startTcpRelay(double.url);
    const url = new URL(relay.url);
    const store = openEventStoreDb({ url: `esdb://${url.host}?tls=false`, timing });
    const seen: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const { events } of store.subscribe({ signal: stop.signal })) seen.push(...idsOf(events));
    })();
    const stream = newStream();
    const events = newEvents(2);
    await append(store, stream, events.slice(0, 1));
    await until(() => seen.length === 1, 'the first event');
    relay.forget();
    await append(store, stream, events.slice(1));
    await until(() => seen.length === 2, 'the second event');
    expect(seen).to.deep.equal(idsOf(events));
    stop.abort();
    await reading;
    await store.close();
    await relay.close();
    await double.stop();
  });
});
