import type { AdministratorIdentity } from '../access/identity/caller.js';
import { sealsOf } from '../audit/seals/seals.js';
import type { Routes } from '../http/context.js';
import { adminRoutes } from './api/routes.js';
import { type AdminApi, adminApi } from './api/routing/admin-api.js';
import { adminRouter } from './api/routing/admin-router.js';
import { callLimits } from './api/routing/call-limits.js';
import { type SealCalls, sealCalls, sealRouter } from './api/seals.js';
import { type OperatedParts, routeDependencies } from './route-dependencies.js';

export type AdminSettings = {
  flows: { maxEventBytes: number };
  http: { maxConcurrentRequests: number };
};

export type AdminDependencies = OperatedParts & {
  access: { identity: AdministratorIdentity };
  limits: Parameters<typeof callLimits>[0];
};

/** Requests that wait for events leave the other slots to requests with work. */
const shareOfFeedWaits = 1 / 4;

export type Admin = {
  routes: readonly Routes[];
  api: AdminApi;
  seals: SealCalls;
};

export async function admin({ flows, http }: AdminSettings, dependencies: AdminDependencies): Promise<Admin> {
  const { store, access } = dependencies;
  const { identity, keys } = access;
  const maxFeedWaits = Math.ceil(http.maxConcurrentRequests * shareOfFeedWaits);
  const { maxEventBytes } = flows;
  const routes = await adminRoutes(routeDependencies({ ...dependencies, maxEventBytes, maxFeedWaits }));
  const seals = sealCalls(sealsOf({ store, signingKeys: keys.signingKeys }));
  const limits = callLimits(dependencies.limits); // those of the routes and of the console's calls together
  return {
    routes: [adminRouter(routes, identity, limits), sealRouter(seals, identity)],
    api: adminApi(routes, limits),
    seals,
  };
}
