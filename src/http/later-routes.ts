import type { Context, Routes } from './context.js';

/** Routes whose modules are loaded with the first request to one of their paths, to save memory. */
export type LaterRoutes = {
  paths: readonly string[];
  load: () => Promise<readonly Routes[]>;
};

/** Adds the routes to the table, before a request to one of their paths is routed. Loading that fails is tried again. */
export function loadRoutes(table: Routes, later: readonly LaterRoutes[]) {
  const loading = new Map<LaterRoutes, Promise<void>>();

  async function load(routes: LaterRoutes): Promise<void> {
    try {
      for (const each of await routes.load()) table.use(each.routes());
    } catch (error) {
      loading.delete(routes);
      throw error;
    }
  }

  return async ({ path }: Context, next: () => Promise<unknown>): Promise<void> => {
    for (const routes of later.filter(({ paths }) => isBelow(path, paths))) {
      const loaded = loading.get(routes) ?? load(routes);
      loading.set(routes, loaded);
      await loaded;
    }
    await next();
  };
}

export const isBelow = (path: string, paths: readonly string[]): boolean =>
  paths.some((each) => path === each || path.startsWith(`${each}/`));
