import type { Route } from '../http/route-contract.js';
import { publicKeysRoute } from './keys/routes.js';
import { accountRoute, callbackRoute, consentRoute, organisationRoute } from './providers/contract.js';
import { introspectionRoute, metadataRoutes, resourceMetadataRoutes, revocationRoute } from './sessions/contract.js';
import { authorizationRoute, signInPageRoute, submitSignInRoute } from './sign-in/contract.js';
import { exchangeRoute, refreshRoute, testRoute, whoamiRoute } from './tokens/contract.js';

/** All routes that `access` may have; its settings decide which exist. */
export const accessContracts = (publicUrl: string | undefined): readonly Route[] => [
  authorizationRoute,
  signInPageRoute,
  submitSignInRoute,
  exchangeRoute,
  refreshRoute,
  testRoute,
  whoamiRoute,
  revocationRoute,
  introspectionRoute,
  callbackRoute,
  organisationRoute,
  consentRoute,
  accountRoute,
  ...metadataRoutes(publicUrl),
  ...resourceMetadataRoutes(publicUrl),
  publicKeysRoute,
];
