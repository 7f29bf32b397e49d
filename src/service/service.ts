import type { Logger } from 'pino';
import { openKeys } from '../access/keys/open-keys.js';
import { type Listening, listen } from '../http/listen.js';
import { releaseMemoryOfStart } from '../kernel/bounded-memory.js';
import { closeInReverse } from '../kernel/closing.js';
import { flushSpans } from '../kernel/tracing/span.js';
import { ensureDefaultTask } from '../listeners/integration-task.js';
import { observeAppends } from '../stores/event-store/observed-event-store.js';
import { lockDataDirectory } from '../stores/sqlite/file-lock.js';
import type { Config } from './config/config.js';
import { openDeliveryPorts } from './delivery-ports.js';
import { maxConnectionsOf } from './descriptors.js';
import { type Dispatcher, startDispatcher } from './dispatcher.js';
import { dispatcherSettings } from './dispatcher-settings.js';
import { openMetrics } from './metrics/metrics.js';
import { countAppends, meteredLeases } from './metrics/store-metrics.js';
import { observation } from './observation.js';
import { openApi } from './routes.js';
import { serviceApp } from './service-app.js';
import { logSettings } from './start-warnings.js';
import { readinessOf } from './status/readiness.js';
import { checkpointEmbeddedLogs } from './stores/checkpoint-embedded-logs.js';
import { openStores } from './stores/open-stores.js';
import type { Close, OnStop } from './stores/stores.js';
import { startViews } from './views.js';

/** A running service. */
export type Service = {
  /** Address as a URL prefix. */
  origin: string;
  /** Accepts no new work, waits for current work for at most `timeoutMs`, and closes everything. */
  stop: (timeoutMs: number) => Promise<void>;
};

/**
 * Opens the stores, starts the processes, and serves HTTP. Closes what has been opened in reverse order, at the stop or if
 * a later step fails. Throws domain errors with the reason, and the errors of `listen`.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const opened: Close[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    const parts = opened.splice(0).map((close) => () => close(Math.max(0, deadline - performance.now())));
    await closeInReverse(parts, (error) => log.error({ err: error }, 'a part did not close'));
    await flushSpans();
  };
  try {
    const origin = await start(config, log, (close) => opened.push(close));
    return { origin, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function start(config: Config, log: Logger, onStop: OnStop): Promise<string> {
  if (!config.cluster) onStop(lockDataDirectory(config.dataDirectory).release);
  let dispatcher: Dispatcher | undefined;
  let listening: Listening | undefined;
  const stores = await openStores(config, log, onStop, {
    onAppended: (appended) => dispatcher?.appended(appended),
    lookElsewhere: () => dispatcher?.lookAtLeases,
  });
  const { readModel } = stores;
  const metrics = openMetrics();
  const store = observeAppends(stores.events, countAppends(metrics));
  const leases = meteredLeases(stores.leases, metrics);
  const { keys, stop: stopFollowing } = await openKeys(config, { store, log });
  onStop(stopFollowing);
  if (config.mode === 'development') await ensureDefaultTask(store);

  const views = startViews(config, { store, readModel, leases, log }, onStop);
  if (config.roles.has('dispatcher')) {
    dispatcher = await startDispatcher(dispatcherSettings(config), {
      onFailure: (error) => failWith(error, log),
      onShortage: () => listening?.closeIdle(),
    });
    onStop(dispatcher.close);
    dispatcher.appended(); // for appends of which it was not notified yet
  }
  if (!config.cluster) await checkpointEmbeddedLogs(config.dataDirectory, log, onStop);
  const ports = await openDeliveryPorts(config, { stores, dispatcher, log }, onStop);

  const { followers } = views;
  const readinessWith = readinessOf({ store, stores, followers, dispatcher });
  const serviceUrl = () => config.http.publicUrl ?? listening?.origin ?? '';
  const used = { stores, store, readModel, ...views, ...ports };
  const dependencies = { ...used, keys, serviceUrl, metrics, log, dispatcher, readinessWith };
  const api = await openApi(config, dependencies, onStop);
  const observing = observation({ metrics, store, stores, followers, dispatcher, ...api });
  logSettings(config, log);
  const app = serviceApp(config, { api, observing, metrics, log });
  releaseMemoryOfStart();
  const serving = await listen(app.callback, {
    ...config.http,
    maxConnections: maxConnectionsOf(config, log),
    isShared: app.isSharedPeer,
  });
  listening = serving;
  // Both accept no new work from the same moment on; neither waits for the other.
  onStop(async (timeoutMs) => {
    api.endStreams();
    await Promise.all([serving.stop(timeoutMs), dispatcher?.stop(timeoutMs)]);
  });
  return serving.origin;
}

/** Ends the process: a bug, or settings that do not fit those of another instance that began at the same time (`PartitionsDiffer`). */
function failWith(error: Error, log: Logger): void {
  log.fatal({ err: error }, 'the dispatcher has ended');
  setImmediate(() => {
    throw error;
  });
}
