import type { RouteDescription } from '../http/api-description/route-description.js';
import { keyRouteDescriptions } from './keys/description.js';
import { providerRouteDescriptions } from './provider-descriptions.js';
import { metadataRouteDescriptions, sessionRouteDescriptions } from './sessions/description.js';
import { authorizationDescription, developmentSignInDescriptions } from './sign-in/description.js';
import { tokenRouteDescriptions } from './tokens/description.js';

/** Descriptions of all routes that `access` may have; which ones it has depends on its settings. */
export const accessDescriptions = (publicUrl: string | undefined): readonly RouteDescription[] => [
  authorizationDescription,
  ...developmentSignInDescriptions,
  ...tokenRouteDescriptions,
  ...sessionRouteDescriptions,
  ...providerRouteDescriptions,
  ...metadataRouteDescriptions(publicUrl),
  ...keyRouteDescriptions,
];
