import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { projections } from '../projections/index.js';
import { listeners } from '../projections/listeners.js';
import type { Config } from './config.js';
import { localGates } from './deliveries/gates.js';
import { type Deliveries, startDeliveries, unsubscribeBarrier } from './deliveries/start-deliveries.js';
import { targetGuard } from './deliveries/target-guard.js';
import type { Cause } from './event-store/codec.js';
import { watchAppends } from './event-store/watched-event-store.js';
import { createApp } from './http/app.js';
import { healthRoutes } from './http/health.js';
import { listen } from './http/listen.js';
import { ensureDefaultTask } from './integration-tasks/ensure-default-task.js';
import { checkKeys, fingerprintOf } from './keys/fingerprint.js';
import { readKeys } from './keys/service-keys.js';
import { registeredAt } from './listeners/find.js';
import { removeGoneListener } from './listeners/remove-gone-listener.js';
import type { UnsubscribeBarrier } from './listeners/unsubscribe-barrier.js';
import { openStores } from './open-stores.js';
import { followUnderLease } from './read-model/follow-under-lease.js';
import { watchAll } from './read-model/watch.js';
import { readiness } from './readiness.js';
import { routesOf } from './routes.js';
import { answerTokenError } from './tokens/answer-token-error.js';

/** A service that runs. */
export type Service = {
  /** Where it is reached, as a URL prefix. */
  readonly origin: string;
  /** Takes nothing new, lets what is under way end for at most `timeoutMs`, and closes everything. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Ends one part; `timeoutMs` is what is left of the time that all of them have together. */
type Close = (timeoutMs: number) => Promise<void> | void;

/**
 * Configuration → adapters → processes → HTTP. What has been opened is closed again, in reverse order, at the stop and where
 * a later step fails. Throws domain errors that say what is in the way, and what `listen` throws.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const opened: Close[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    for (const close of opened.splice(0).reverse()) {
      try {
        await close(Math.max(0, deadline - performance.now()));
      } catch (error) {
        log.error({ err: error }, 'a part did not close'); // the others do all the same
      }
    }
  };
  try {
    const origin = await start(config, log, (close) => opened.push(close));
    return { origin, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function start(config: Config, log: Logger, onStop: (close: Close) => void): Promise<string> {
  const { mode, dataDirectory, http, roles } = config;
  const development = mode === 'development';

  const stores = await openStores(config, log, onStop);
  const { readModel, queue, leases } = stores;
  const store = watchAppends(stores.events);
  const causeByService = (): Context => ({
    cause: { actor: 'service', correlationId: randomUUID() },
    now: new Date(),
  });

  const keys = await readKeys(config.keys, { dataDirectory, mayMake: development });
  await checkKeys(store, fingerprintOf(keys.masterKeys, keys.signingKeys), causeByService());
  if (development) {
    const { cause, now } = causeByService();
    await ensureDefaultTask(store, cause, now);
  }

  const views = roles.has('projector')
    ? followUnderLease({ store, readModel, projections, leases, log })
    : watchAll({ store, readModel, projections });
  onStop(views.stop);
  const listenersView = views.followers[projections.indexOf(listeners)];
  if (!listenersView) throw new Error('the listeners view is one of the projections');

  const guard = targetGuard(config.deliveries);
  const { startFrom, concurrency } = config.deliveries;
  const deliveries: Deliveries | undefined = roles.has('dispatcher')
    ? startDeliveries({
        ...{ store, queue, leases, guard, log, masterKeys: keys.masterKeys },
        settings: { concurrency },
        startFrom: startFrom === 'end' ? await store.head() : startFrom,
        otherInstances: stores.shared,
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
        viewPassed: listenersView.passed,
        onGone: (delivery) => removeGoneListener(store, barrier, delivery, causeByService()),
      })
    : undefined;
  const barrier: UnsubscribeBarrier = deliveries?.barrier ?? unsubscribeBarrier(localGates(), queue, stores.shared);
  onStop((timeoutMs) => deliveries?.stop(timeoutMs));

  const app = createApp({
    log,
    routes: [
      healthRoutes(
        readiness({
          storeTrouble: () => stores.eventsTrouble() ?? store.trouble(),
          ...{ followers: views.followers, deliveries },
        }),
      ),
      ...(roles.has('api') ? await routesOf({ config, store, keys, guard, barrier }) : []),
    ],
    loopbackNamesOnly: development,
    maxConcurrentRequests: http.maxConcurrentRequests,
    answerTokenError,
  });
  const listening = await listen(app.callback(), http);
  // Both take up nothing new from the same moment on; neither needs the other to end.
  onStop(async (timeoutMs) => {
    await Promise.all([listening.stop(timeoutMs), deliveries?.stop(timeoutMs)]);
  });
  return listening.origin;
}

/** Who did something, and when. */
type Context = { readonly cause: Cause; readonly now: Date };
