import { accessDescriptions } from '../../access/descriptions.js';
import { adminRouteDescriptions } from '../../admin/api/descriptions.js';
import { flowRouteDescriptions } from '../../flows/description.js';
import type { RouteDescription } from '../../http/api-description/route-description.js';
import { apiDescriptionDescription } from '../../http/api-description/routes.js';
import { healthDescriptions } from '../../http/health-description.js';
import { listenerRouteDescriptions } from '../../listeners/description.js';
import type { Config } from '../config/config.js';
import { metricsDescription } from '../metrics/description.js';

/** Descriptions of all routes that a service may have, by their readers: platforms, producers, operators. */
export const allDescriptions = ({
  hooksPrefix,
  publicUrl,
}: Pick<Config['http'], 'hooksPrefix' | 'publicUrl'>): readonly RouteDescription[] => [
  ...accessDescriptions(publicUrl),
  ...listenerRouteDescriptions(hooksPrefix),
  ...flowRouteDescriptions(hooksPrefix),
  ...adminRouteDescriptions,
  ...healthDescriptions,
  metricsDescription,
  apiDescriptionDescription,
];

/** Beginnings of the paths of pages and their files, which are no part of the API. */
export const pages = ['/docs', '/assets', '/console', '/portal'] as const;
