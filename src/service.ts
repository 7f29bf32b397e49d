import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { projections } from '../projections/index.js';
import { listeners } from '../projections/listeners.js';
import type { Config } from './config.js';
import { lockDataDirectory } from './data-directory/directory-lock.js';
import type { LeasedDelivery } from './deliveries/delivery-queue.js';
import { openSqliteDeliveryQueue } from './deliveries/sqlite/sqlite-delivery-queue.js';
import { type Deliveries, startDeliveries } from './deliveries/start-deliveries.js';
import { targetGuard } from './deliveries/target-guard.js';
import type { Cause } from './event-store/codec.js';
import { openSqliteEventStore } from './event-store/sqlite/sqlite-event-store.js';
import { watchAppends } from './event-store/watched-event-store.js';
import { createApp } from './http/app.js';
import { healthRoutes } from './http/health.js';
import { listen } from './http/listen.js';
import { ensureDefaultTask } from './integration-tasks/ensure-default-task.js';
import { checkKeys, fingerprintOf } from './keys/fingerprint.js';
import { readKeys } from './keys/service-keys.js';
import { registeredAt } from './listeners/find.js';
import { removeGoneListener } from './listeners/remove-gone-listener.js';
import { follow } from './read-model/follow.js';
import { openSqliteReadModel } from './read-model/sqlite/sqlite-read-model.js';
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
  const { mode, dataDirectory: directory, http } = config;
  const development = mode === 'development';
  const causeOf = (actor: string): Cause => ({ actor, correlationId: randomUUID() });

  const lock = lockDataDirectory(directory);
  onStop(lock.release);
  const store = watchAppends(openSqliteEventStore({ directory }));
  onStop(() => store.close());
  const readModel = openSqliteReadModel({ directory });
  onStop(() => readModel.close());
  const queue = openSqliteDeliveryQueue({ directory });
  onStop(() => queue.close());

  const keys = await readKeys(config.keys, { dataDirectory: directory, mayMake: development });
  await checkKeys(store, fingerprintOf(keys.masterKeys, keys.signingKeys), {
    cause: causeOf('service'),
    now: new Date(),
  });
  if (development) await ensureDefaultTask(store, causeOf('service'), new Date());

  const followers = projections.map((projection) => follow({ store, readModel, projection, log }));
  onStop(async () => {
    await Promise.all(followers.map((follower) => follower.stop()));
  });
  const listenersView = followers[projections.indexOf(listeners)];
  if (!listenersView) throw new Error('the listeners view is one of the projections');

  const guard = targetGuard(config.deliveries);
  const deliveries: Deliveries = startDeliveries({
    ...{ store, queue, guard, log, masterKeys: keys.masterKeys },
    settings: { concurrency: config.deliveries.concurrency },
    registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
    viewPassed: listenersView.passed,
    onGone: (delivery: LeasedDelivery) =>
      removeGoneListener(store, deliveries.barrier, delivery, { cause: causeOf('service'), now: new Date() }),
  });
  onStop((timeoutMs) => deliveries.stop(timeoutMs));

  const routes = await routesOf({ config, store, keys, guard, barrier: deliveries.barrier });
  const app = createApp({
    log,
    routes: [healthRoutes(readiness({ store, followers, deliveries })), ...routes],
    loopbackNamesOnly: development,
    maxConcurrentRequests: http.maxConcurrentRequests,
    answerTokenError,
  });
  const listening = await listen(app.callback(), http);
  // Both take up nothing new from the same moment on; neither needs the other to end.
  onStop(async (timeoutMs) => {
    await Promise.all([listening.stop(timeoutMs), deliveries.stop(timeoutMs)]);
  });
  return listening.origin;
}
