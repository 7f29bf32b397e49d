import Router from '@koa/router';
import { accessContracts } from '../../access/contracts.js';
import { allAdminRoutes } from '../../admin/api/all-routes.js';
import { samplesRoute, subscriptionTypesRoute } from '../../flows/platform-routes.js';
import { publishBatchRoute, publishRoute } from '../../flows/publishing/contract.js';
import { openApiDocument } from '../../http/api-description/openapi-document.js';
import { apiDescriptionRoute, apiDescriptionRoutes, describedRoutes } from '../../http/api-description/routes.js';
import { type AssetFile, openAssets, ownAsset, packageAsset } from '../../http/assets.js';
import type { RequestState, Routes } from '../../http/context.js';
import { monitoringRoutes } from '../../http/health.js';
import { below, type Route } from '../../http/route-contract.js';
import type { ServiceAddress } from '../../http/settings.js';
import type { Mode } from '../../kernel/settings/setting.js';
import { version } from '../../kernel/version.js';
import { listenerContracts } from '../../listeners/contract.js';
import { metricsRoute } from '../metrics/routes.js';
import { guideRoutes } from './guides.js';
import { webhooks } from './webhooks.js';

/** All routes that a service may have, by their readers: platforms, producers, operators. */
export const allRoutes = ({ hooksPrefix, publicUrl }: ServiceAddress): readonly Route[] => [
  ...accessContracts(publicUrl),
  ...listenerContracts.map(below(hooksPrefix)),
  publishRoute,
  publishBatchRoute,
  ...[subscriptionTypesRoute, samplesRoute].map(below(hooksPrefix)),
  ...allAdminRoutes,
  ...monitoringRoutes,
  metricsRoute,
  apiDescriptionRoute,
];

/** Pages, documents and their files are no part of the API. */
export const pages = ['/docs', '/llms.txt', '/assets', '/console', '/portal'] as const;

const viewer = 'swagger-ui-dist';

const files: readonly AssetFile[] = [
  { name: 'swagger-ui.css', file: packageAsset(`${viewer}/swagger-ui.css`) },
  { name: 'swagger-ui.js', file: packageAsset(`${viewer}/swagger-ui-bundle.js`) },
  { name: 'favicon.svg', file: ownAsset('console/favicon.svg') },
  { name: 'docs.css', file: ownAsset('docs/docs.css') },
  { name: 'docs.js', file: ownAsset('docs/docs.js') },
];

/** Images: those in the styles of the viewer. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** `GET /docs`: the API description for people, who can try each route. `publicPath`: the path below which the service is, or none. */
function docsRoutes(publicPath: string): readonly Routes[] {
  const assets = openAssets(files);
  const html = pageOf((name) => `${publicPath}${assets.path(name)}`);
  const router: Routes = new Router<RequestState>({ sensitive: true });
  router.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', contentSecurityPolicy);
    ctx.set('X-Frame-Options', 'DENY'); // for browsers that do not know `frame-ancestors`
    ctx.set('Cross-Origin-Opener-Policy', 'same-origin');
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'html';
    ctx.body = html;
  });
  return [router, assets.routes];
}

const pageOf = (path: (name: string) => string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Flow Hooks</title>
<link rel="icon" href="${path('favicon.svg')}">
<link rel="stylesheet" href="${path('swagger-ui.css')}">
<link rel="stylesheet" href="${path('docs.css')}">
<script defer src="${path('swagger-ui.js')}"></script>
<script defer src="${path('docs.js')}"></script>
</head>
<body>
<div id="docs"><noscript>This page needs scripts. The description is at <a href="openapi.json">openapi.json</a>.</noscript></div>
</body>
</html>
`;

/** Throws if a route is not described. */
export function documentation(
  { mode, http }: { mode: Mode; http: ServiceAddress },
  routes: readonly Routes[],
): readonly Routes[] {
  const service = { version, publicUrl: http.publicUrl, development: mode === 'development' };
  const openApi = apiDescriptionRoutes(() => JSON.stringify(openApiDocument(described, service, webhooks)));
  const described = describedRoutes([...routes, openApi], allRoutes(http), pages);
  const publicPath = http.publicUrl === undefined ? '' : new URL(http.publicUrl).pathname.replace(/\/$/, '');
  return [openApi, guideRoutes(), ...docsRoutes(publicPath)];
}
