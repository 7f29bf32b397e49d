import { describedRoutes } from '../../http/api-description/described-routes.js';
import { openApiDocument } from '../../http/api-description/openapi-document.js';
import { apiDescriptionRoutes } from '../../http/api-description/routes.js';
import type { Routes } from '../../http/context.js';
import { version } from '../../kernel/version.js';
import type { Config } from '../config/config.js';
import { allDescriptions, pages } from './descriptions.js';
import { docsRoutes } from './docs-page.js';

/** The API description of these routes, for programs and for people. Throws if one of the routes is not described. */
export function documentation(
  { mode, http }: Pick<Config, 'mode' | 'http'>,
  routes: readonly Routes[],
): readonly Routes[] {
  const service = { version, publicUrl: http.publicUrl, development: mode === 'development' };
  const openApi = apiDescriptionRoutes(() => JSON.stringify(openApiDocument(described, service)));
  const described = describedRoutes([...routes, openApi], allDescriptions(http), pages);
  const publicPath = http.publicUrl === undefined ? '' : new URL(http.publicUrl).pathname.replace(/\/$/, '');
  return [openApi, ...docsRoutes(publicPath)];
}
