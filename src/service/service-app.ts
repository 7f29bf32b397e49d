import type { Logger } from 'pino';
import { answerTokenError } from '../access/token-errors.js';
import { publishedBodyLimit } from '../flows/publishing/media-types.js';
import { createApp } from '../http/app.js';
import { assetsPath } from '../http/assets.js';
import type { Routes } from '../http/context.js';
import { trustedPeers } from '../http/trusted-peers.js';
import type { Config } from './config/config.js';
import type { Metrics } from './metrics/metrics.js';
import { requestMetrics } from './metrics/request-metrics.js';
import type { Api } from './routes.js';

type AppParts = {
  api: Api;
  /** Health and metrics. */
  observing: readonly Routes[];
  metrics: Metrics;
  log: Logger;
};

/** The HTTP application of all routes, and of the documentation of those that the service has. */
export function serviceApp(config: Config, { api, observing, metrics, log }: AppParts) {
  const peers = trustedPeers(config.http);
  const routes = [...observing, ...api.routes];
  const documentationRoutes = {
    paths: ['/openapi.json', '/docs', '/llms.txt', assetsPath],
    async load() {
      const { documentation } = await import('./documentation/documentation.js');
      return documentation(config, [...routes, ...(await api.operatorRoutes())]);
    },
  };
  const app = createApp(
    {
      log,
      peers,
      routeBodyLimit: publishedBodyLimit,
      loopbackNamesOnly: config.mode === 'development',
      maxConcurrentRequests: config.http.maxConcurrentRequests,
      answerTokenError,
      formerPaths: { '/admin/api/projections': '/admin/api/views' },
      onAnswered: requestMetrics(metrics),
    },
    { routes, laterRoutes: [...api.laterRoutes, documentationRoutes] },
  );
  return { callback: app.callback(), isSharedPeer: peers.isTrusted };
}
