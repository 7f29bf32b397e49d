import { setTimeout as pause } from 'node:timers/promises';
import { publish, subscribe, unsubscribe } from '../service/journey.js';
import type { ServiceProcess } from '../service/service.js';
import { until } from '../until.js';
import { compare, countArrivals, type Listener, type Published } from './listener-arrivals.js';
import type { Receiver } from './receiver.js';

type LoadResult = {
  accepted: number;
  /** Pairs of an accepted event and a listener that has to get it. */
  owed: number;
  lost: readonly string[];
  /** Events that went to a listener that was registered only after they had been accepted. */
  strayed: readonly string[];
  /** Events that came to an ordered listener after a later one. */
  disordered: readonly string[];
  duplicates: number;
  /** Number of removed listeners; `raced`: of those removed while an event was on the way to them. */
  gone: readonly Listener[];
  raced: number;
};

export type ListenerLoad = {
  /** Resolves after enough further work to show that all parts continue. */
  goesOn: () => Promise<void>;
  /** Registers a listener that stays: all that is accepted from now on has to reach it. The first of each organisation is ordered. */
  keepListener: () => Promise<void>;
  end: () => Promise<void>;
  /** Waits until each listener that stays has got all that it has to get, or none has got anything for this time. */
  settled: (limitMs: number) => Promise<LoadResult>;
};

export type ListenerLoadOptions = {
  /** The instances to call, read before each call. A failed call is retried, or given up. */
  instances: () => readonly ServiceProcess[];
  receiver: Receiver;
};

const orgIds = ['acme', 'globex'];
const publishers = 2;
const temporaryListeners = 2;
/** Interval between events of a publisher: no more than leaves the processors idle most of the time. */
const publishEveryMs = 250;
/** Maximum time that a listener waits for its first event before it is removed. */
const maxWaitMs = 3_000;
const lingerMs = 300;

const now = () => process.hrtime.bigint();

const orgOf = (index: number): string => orgIds[index % orgIds.length] ?? '';

/** Returns the instances in turn. */
function roundRobin(instances: () => readonly ServiceProcess[]): () => ServiceProcess {
  let turn = 0;
  return () => {
    const all = instances();
    turn += 1;
    const instance = all[turn % all.length];
    if (!instance) throw new Error('there is no instance to call');
    return instance;
  };
}

/** Publishes events, and registers and removes listeners, without a pause until it is stopped. */
export function startListenerLoad({ instances, receiver }: ListenerLoadOptions): ListenerLoad {
  const published: Published[] = [];
  const staying: Listener[] = [];
  const gone: Listener[] = [];
  const { arrivals, reached } = countArrivals(receiver);
  const { owed, strayed, disordered, raced } = compare({ published, staying, gone }, arrivals);
  let over = false;
  const next = roundRobin(instances);

  /** Retries like a platform, until it succeeds. */
  async function insist(step: (instance: ServiceProcess) => Promise<boolean>): Promise<void> {
    while (!(await step(next()).catch(() => false))) await pause(50);
  }

  async function publishOn(caller: number): Promise<void> {
    for (let index = caller; !over; index += 1) {
      const orgId = orgOf(index);
      const askedAt = now();
      const id = await publish(next(), { orgId, type: 'flow.completed', data: {} }).catch(() => undefined);
      if (id !== undefined) published.push({ id, orgId, askedAt, acceptedAt: now() });
      await pause(publishEveryMs);
    }
  }

  async function register(path: string, orgId: string, ordered = false): Promise<Listener> {
    const url = `${receiver.origin}${path}`;
    const askedAt = now();
    await insist(async (instance) => (await subscribe(instance, url, { orgId, ordered })).id !== '');
    return { url, orgId, ordered, askedAt, registeredAt: now() };
  }

  async function registerAndRemove(caller: number): Promise<void> {
    for (let index = 0; !over; index += 1) {
      const listener = await register(`/passing/${caller}/${index}`, orgOf(caller));
      await until(() => reached(listener.url) || over, 'a first event', { limitMs: maxWaitMs }).catch(() => undefined);
      await pause(Math.random() * lingerMs);
      await insist(async (instance) => {
        const { status } = await unsubscribe(instance, listener.url, listener.orgId);
        listener.goneAt = now();
        return status === 200;
      });
      gone.push(listener);
    }
  }

  const running = [
    ...Array.from({ length: publishers }, (_, caller) => publishOn(caller)),
    ...Array.from({ length: temporaryListeners }, (_, caller) => registerAndRemove(caller)),
  ];

  return {
    async goesOn() {
      const [events, listeners] = [published.length + 10, gone.length + 2];
      await until(() => published.length >= events && gone.length >= listeners, 'the load to go on', {
        limitMs: 60_000,
      });
    },
    async keepListener() {
      const index = staying.length;
      staying.push(await register(`/staying/${index}`, orgOf(index), index < orgIds.length));
    },
    async end() {
      over = true;
      await Promise.all(running);
    },
    async settled(limitMs) {
      const all = owed();
      const lost = () => all.filter((arrival) => !arrivals().has(arrival));
      // On a busy machine an ordered listener, which gets one event after the other, may be minutes behind.
      let before = Number.POSITIVE_INFINITY;
      for (let left = lost().length; left > 0 && left < before; left = lost().length) {
        before = left;
        await until(() => lost().length < before, 'another arrival', { limitMs, everyMs: 200 }).catch(() => undefined);
      }
      const repeats = [...arrivals().values()].reduce((sum, count) => sum + count - 1, 0);
      return {
        accepted: published.length,
        owed: all.length,
        lost: lost(),
        strayed: strayed(),
        disordered: disordered(),
        duplicates: repeats,
        gone,
        raced: raced(),
      };
    },
  };
}
