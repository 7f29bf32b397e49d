import { setTimeout as pause } from 'node:timers/promises';
import { publish, subscribe, unsubscribe } from '../service/journey.js';
import type { ServiceProcess } from '../service/service.js';
import { until } from '../until.js';
import type { Receiver } from './receiver.js';

/** All times are the machine's monotonic clock, in nanoseconds: see `HandOver`. */
type Published = { readonly id: string; readonly orgId: string; readonly askedAt: bigint; readonly acceptedAt: bigint };

type Hook = {
  readonly url: string;
  readonly orgId: string;
  readonly askedAt: bigint;
  readonly registeredAt: bigint;
  /** When its unsubscribe had been answered 200. */
  goneAt?: bigint;
};

export type LoadResult = {
  readonly accepted: number;
  /** Pairs of an accepted event and a hook that has to get it. */
  readonly owed: number;
  readonly lost: readonly string[];
  /** Events that went to a hook that was registered only after they had been accepted. */
  readonly strayed: readonly string[];
  readonly duplicates: number;
  /** Number of removed hooks; `raced`: of those removed while an event was on the way to them. */
  readonly gone: readonly Hook[];
  readonly raced: number;
};

export type HookLoad = {
  /** Resolves after enough further work to show that all parts continue. */
  readonly goesOn: () => Promise<void>;
  /** Registers a hook that stays: all that is accepted from now on has to reach it. */
  readonly keepHook: () => Promise<void>;
  readonly end: () => Promise<void>;
  /** Waits until each hook that stays has got all that it has to get. */
  readonly settled: (limitMs: number) => Promise<LoadResult>;
};

export type HookLoadOptions = {
  /** The instances to call, read before each call. A failed call is retried, or given up. */
  readonly instances: () => readonly ServiceProcess[];
  readonly receiver: Receiver;
};

const orgIds = ['acme', 'globex'];
const publishers = 3;
const comersAndGoers = 6;
/** About what the slowest of stores can deliver beside it. */
const publishEveryMs = 60;
/** Hooks go some time after their first event, when others are on the way; or without one, where none comes. */
const longestWaitMs = 3_000;
const lingerMs = 300;

const now = () => process.hrtime.bigint();

/** Publishes events, and registers and removes hooks, without a pause until it is stopped. */
export function startHookLoad({ instances, receiver }: HookLoadOptions): HookLoad {
  const published: Published[] = [];
  const staying: Hook[] = [];
  const gone: Hook[] = [];
  let over = false;
  let turn = 0;

  function next(): ServiceProcess {
    const all = instances();
    turn += 1;
    const instance = all[turn % all.length];
    if (!instance) throw new Error('there is no instance to ask');
    return instance;
  }

  const orgOf = (index: number): string => orgIds[index % orgIds.length] ?? '';

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

  async function register(path: string, orgId: string): Promise<Hook> {
    const url = `${receiver.origin}${path}`;
    const askedAt = now();
    await insist(async (instance) => (await subscribe(instance, url, { orgId })).id !== '');
    return { url, orgId, askedAt, registeredAt: now() };
  }

  async function comeAndGo(caller: number): Promise<void> {
    for (let index = 0; !over; index += 1) {
      const hook = await register(`/passing/${caller}/${index}`, orgOf(caller));
      await until(() => reached(hook.url) || over, 'a first event', { limitMs: longestWaitMs }).catch(() => undefined);
      await pause(Math.random() * lingerMs);
      await insist(async (instance) => {
        const { status } = await unsubscribe(instance, hook.url, hook.orgId);
        hook.goneAt = now();
        return status === 200;
      });
      gone.push(hook);
    }
  }

  const running = [
    ...Array.from({ length: publishers }, (_, caller) => publishOn(caller)),
    ...Array.from({ length: comersAndGoers }, (_, caller) => comeAndGo(caller)),
  ];

  /** Counts arrivals by event and hook. Each arrival is processed once. */
  const counts = new Map<string, number>();
  const reachedUrls = new Set<string>();
  let looked = 0;
  function arrivals(): ReadonlyMap<string, number> {
    for (const { path, body } of receiver.received.slice(looked)) {
      const { id } = JSON.parse(body) as { readonly id: string };
      const url = `${receiver.origin}${path}`;
      const arrival = arrivalOf(url, id);
      reachedUrls.add(url);
      counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
      looked += 1;
    }
    return counts;
  }

  const reached = (url: string): boolean => arrivals().size > 0 && reachedUrls.has(url);

  const owed = (): readonly string[] =>
    staying.flatMap(({ url, orgId, registeredAt }) =>
      published
        .filter((event) => event.orgId === orgId && event.askedAt > registeredAt)
        .map(({ id }) => arrivalOf(url, id)),
    );

  const strayed = (): readonly string[] =>
    [...staying, ...gone].flatMap(({ url, orgId, askedAt }) =>
      published
        .filter((event) => arrivals().has(arrivalOf(url, event.id)))
        .filter((event) => event.orgId !== orgId || event.acceptedAt < askedAt)
        .map(({ id }) => arrivalOf(url, id)),
    );

  /** Whether an event was on the way to it, and has not come. */
  const wasRaced = ({ url, orgId, registeredAt, goneAt }: Hook): boolean =>
    published
      .filter((event) => event.orgId === orgId && event.askedAt > registeredAt)
      .some((event) => goneAt !== undefined && event.acceptedAt < goneAt && !arrivals().has(arrivalOf(url, event.id)));

  return {
    async goesOn() {
      const [events, hooks] = [published.length + 15, gone.length + 3];
      await until(() => published.length >= events && gone.length >= hooks, 'the load to go on', { limitMs: 60_000 });
    },
    async keepHook() {
      const index = staying.length;
      staying.push(await register(`/staying/${index}`, orgOf(index)));
    },
    async end() {
      over = true;
      await Promise.all(running);
    },
    async settled(limitMs) {
      const all = owed();
      const lost = () => all.filter((arrival) => !arrivals().has(arrival));
      await until(() => lost().length === 0, 'all that was accepted', { limitMs, everyMs: 200 }).catch(() => undefined);
      const repeats = [...arrivals().values()].reduce((sum, count) => sum + count - 1, 0);
      return {
        accepted: published.length,
        owed: all.length,
        lost: lost(),
        strayed: strayed(),
        duplicates: repeats,
        gone,
        raced: gone.filter(wasRaced).length,
      };
    },
  };
}

const arrivalOf = (url: string, id: string): string => `${url} ${id}`;
