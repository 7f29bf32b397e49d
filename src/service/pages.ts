import type { Logger } from 'pino';
import { portalPath } from '../access/portal/portal-access.js';
import type { OperatorSignIn } from '../access/providers/operator-sign-in.js';
import type { Provider } from '../access/providers/provider.js';
import { type ProviderStatus, providerStatuses } from '../access/providers/provider-statuses.js';
import type { Admin } from '../admin/admin.js';
import type { Console, ConsoleDependencies } from '../console/console.js';
import { assetsPath } from '../http/assets.js';
import type { LaterRoutes } from '../http/later-routes.js';
import type { Config } from './config/config.js';

type OperatorProvider = Provider<OperatorSignIn>;

/** The identity provider with which operators sign in; undefined: none is configured. */
export async function openOperatorProvider(config: Config, log: Logger): Promise<OperatorProvider | undefined> {
  const { openid } = config.console;
  if (!openid) return undefined;
  const { openConsoleProvider } = await import('../console/session/console-provider.js');
  return openConsoleProvider(openid, { ...config, log });
}

/** Named apart from the providers of users, which may have the same issuer. */
export const operatorProviderStatuses = (provider: OperatorProvider | undefined): readonly ProviderStatus[] =>
  providerStatuses(provider ? [provider] : []).map((status) => ({ ...status, name: `${status.name} of the console` }));

/** Pages of the console and the portal. */
export type Pages = {
  routes: LaterRoutes;
  /** Ends the live updates of open pages; may be called before the pages have been loaded. */
  endStreams: () => void;
};

/** The console and the portal, which are loaded with the first request to a page. */
export function consolePages(
  config: Config,
  { admin, ...dependencies }: Omit<ConsoleDependencies, 'api' | 'seals'> & { admin: () => Promise<Admin> },
): Pages {
  let opened: Console | undefined;
  let isEnded = false;
  return {
    routes: {
      paths: ['/console', portalPath, assetsPath],
      async load() {
        const { openConsole } = await import('../console/console.js');
        const { api, seals } = await admin();
        opened = openConsole(config, { ...dependencies, api, seals });
        if (isEnded) opened.endStreams();
        return opened.routes;
      },
    },
    endStreams() {
      isEnded = true;
      opened?.endStreams();
    },
  };
}
