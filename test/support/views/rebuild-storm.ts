import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import { listenerCodec } from '../../../src/events/listener-events.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { plainSubscription } from '../../listeners/fixtures.js';
import { type CliPlace, runCliForJson, startCli } from '../service/cli.js';
import { subscribe, unsubscribe } from '../service/journey.js';
import type { ServiceProcess } from '../service/service.js';
import { until } from '../until.js';
import { freshFold, servedDocuments } from './fresh-fold.js';

export type RebuildStorm = {
  place: CliPlace;
  store: EventStore;
  readModel: ReadModel;
  startService: () => Promise<ServiceProcess>;
  /** Listeners that there are before it begins: enough for a rebuild to take a while. */
  listeners: number;
  rounds: number;
};

/**
 * A service under load, while its listeners view is rebuilt by commands that are killed at random points, and is itself killed
 * every other time. After each round the rebuild is done to its end, and the view is what history says.
 */
export async function rebuildStorm(storm: RebuildStorm): Promise<{ resumed: number }> {
  const { place, store, readModel, startService, listeners, rounds } = storm;
  await appendListeners(store, listeners);
  let service = await startService();
  const ready = async () => (await service.fetch('/readyz')).status === 200;
  let resumed = 0;
  try {
    await until(ready, 'the first builds');
    for (let round = 0; round < rounds; round += 1) {
      const load = loadOn(() => service);
      await killedRebuild(place, readModel);
      if (round % 2 === 1) {
        await service.stop('SIGKILL');
        service = await startService();
      }
      await load.hasSubscribedAnother();
      if ((await rebuilt(place)).resumed) resumed += 1;
      await load.end();
      await viewIsRight(store, readModel);
    }
  } finally {
    await service.stop();
  }
  return { resumed };
}

async function rebuilt(place: CliPlace): Promise<{ resumed: boolean }> {
  return (await runCliForJson(place, 'views', 'rebuild', 'listeners')).at(-1) as { resumed: boolean };
}

const maxKills = 30;

/** Kills commands at random points until one leaves a build to continue. */
async function killedRebuild(place: CliPlace, readModel: ReadModel): Promise<void> {
  const startedAt = performance.now();
  await rebuilt(place);
  const tookMs = performance.now() - startedAt;
  let withinMs = tookMs;
  for (let kills = 0; kills < maxKills; kills += 1) {
    const command = startCli(place, '--json', 'views', 'rebuild', 'listeners');
    await pause(Math.random() * withinMs);
    const { signal } = await command.stop('SIGKILL');
    if (await isUnfinished(readModel)) return;
    withinMs *= signal === null ? 0.8 : 1.25; // it had ended, or perhaps not begun: how busy the machine is changes
  }
  throw new Error(`none of ${maxKills} killed rebuilds, of ${tookMs} ms, left a build to continue`);
}

/** Tells whether the next rebuild has a build to continue. */
async function isUnfinished({ rebuilds, live, describe }: ReadModel): Promise<boolean> {
  const { build } = (await rebuilds.find(listenersView)) ?? {};
  if (build === undefined || build === (await live(listenersView))) return false;
  return (await describe(build).catch(() => undefined)) !== undefined; // a damaged one is not continued
}

/** Subscribes and unsubscribes until `end`, which throws if an answer was not the expected one; requests while the service is away are lost. */
function loadOn(service: () => ServiceProcess) {
  let going = true;
  let subscribed = 0;
  const run = async (worker: number) => {
    const orgId = `storm-${worker}`;
    for (let count = 0; going; count += 1) {
      const hookUrl = `http://127.0.0.1:10009/${worker}/${count}/${randomUUID()}`;
      try {
        await subscribe(service(), hookUrl, { orgId });
        subscribed += 1;
        if (count % 2 === 0) expect((await unsubscribe(service(), hookUrl, orgId)).status).to.equal(200);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // an answer came
        await pause(20);
      }
    }
  };
  const running = Promise.all([run(1), run(2)]);
  return {
    async hasSubscribedAnother() {
      const before = subscribed;
      await Promise.race([running, until(() => subscribed > before, 'another listener')]);
    },
    end() {
      going = false;
      return running;
    },
  };
}

async function viewIsRight(store: EventStore, readModel: ReadModel): Promise<void> {
  const expected = await freshFold(store, listenersView);
  const served = () => servedDocuments(readModel, listenersView);
  const right = async () => isDeepStrictEqual(await served(), expected);
  await until(right, 'the view', { everyMs: 250 }).catch(() => undefined); // the difference is reported below
  expect(await served()).to.deep.equal(expected);
}

async function appendListeners(store: EventStore, count: number): Promise<void> {
  const atOnce = 100; // few enough that a busy machine answers each in time
  for (let from = 0; from < count; from += atOnce) {
    const appends = Array.from({ length: Math.min(atOnce, count - from) }, (_, offset) => {
      const [orgId, hookUrl] = [`org-${(from + offset) % 500}`, `https://hooks.example.com/${from + offset}`];
      const data = {
        listenerId: randomUUID(),
        orgId,
        userId: 'ada',
        hookUrl,
        subscription: plainSubscription,
        secret: { keyGeneration: 'g1', version: 1, previous: null },
        failing: null,
      };
      const cause = { actor: 'test', correlationId: 'test' };
      const began = listenerCodec.encode({ type: 'ListenerSubscribed', data }, cause, new Date());
      const ended = { ...data, since: '0', reason: 'requested' } as const;
      const gone = listenerCodec.encode({ type: 'ListenerUnsubscribed', data: ended }, cause, new Date());
      return store.append(listenerStream(orgId, hookUrl), offset % 3 === 0 ? [began, gone] : [began]);
    });
    await Promise.all(appends);
  }
}
