import { describedRoutes } from '../../http/api-description/described-routes.js';
import { openApiDocument } from '../../http/api-description/openapi-document.js';
import { apiDescriptionRoutes } from '../../http/api-description/routes.js';
import type { Routes } from '../../http/context.js';
import { version } from '../../kernel/version.js';
import type { Config } from '../config/config.js';
import { allDescriptions, pages } from './descriptions.js';

/** The description of these routes, and of its own. Throws if one of them is not described. */
export function documentation(
  { mode, http }: Pick<Config, 'mode' | 'http'>,
  routes: readonly Routes[],
): readonly Routes[] {
  const own = apiDescriptionRoutes(() => JSON.stringify(openApiDocument(described, service)));
  const described = describedRoutes([...routes, own], allDescriptions(http), pages);
  const service = { version, publicUrl: http.publicUrl, development: mode === 'development' };
  return [own];
}
