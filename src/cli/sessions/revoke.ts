import type { Command } from 'commander';
import { sessions } from '../../../projections/sessions.js';
import { revokedSummary, revokeSessions, revokeSessionsRequest } from '../../access/sessions/sessions.js';
import { watch } from '../../stores/read-model/following/watch.js';
import { viewCaughtUp } from '../../stores/read-model/view-caught-up.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';
import { type FilterOptions, filterOf } from './list.js';

/** `sessions revoke`. */
export async function revoke(options: FilterOptions & { readonly session?: string }, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const wanted = parseOptions(revokeSessionsRequest, { ...filterOf(options), sessionId: options.session });
  const revoked = await withStores(async (stores) => {
    const store = await stores.events();
    const readModel = await stores.readModel();
    const view = watch({ store, readModel, projection: sessions });
    const dependencies = { store, readModel, sessionsCaughtUp: viewCaughtUp(store, 'session', view.passed) };
    try {
      return await pagesOf(async (after) => {
        const page = await revokeSessions(dependencies, wanted, { cause, now: new Date(), after });
        return { items: page.sessions.map(revokedSummary), next: page.next };
      });
    } finally {
      await view.stop();
    }
  });
  printRows(
    output,
    revoked,
    {
      revoked: ({ sessionId }) => sessionId,
      organisation: ({ orgId }) => orgId,
      user: ({ userId }) => userId,
      client: ({ clientId }) => clientId,
      issued: ({ issuedAt }) => issuedAt,
    },
    'no active session matches: nothing changed',
  );
}
