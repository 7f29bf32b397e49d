import type { Command } from 'commander';
import { listSessions, listSessionsRequest } from '../../access/sessions/sessions.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

export type FilterOptions = { readonly org?: string; readonly user?: string; readonly client?: string };

/** The fields of a request. Throws `UsageError`: elsewhere the ID of a client is the option `--id`. */
export function filterOf({ org, user, client }: FilterOptions) {
  if (client === '') throw new UsageError('--client must name a client');
  return { orgId: org, userId: user, clientId: client };
}

/** `sessions list`. */
export async function list(options: FilterOptions & { readonly state?: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const filter = parseOptions(listSessionsRequest, { ...filterOf(options), state: options.state });
  const found = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { sessions: items, next } = await listSessions(readModel, filter, { after, limit: 1_000 });
      return { items, next };
    });
  });
  printRows(
    output,
    found,
    {
      session: ({ sessionId }) => sessionId,
      organisation: ({ orgId }) => orgId,
      user: ({ userId }) => userId,
      client: ({ clientId }) => clientId,
      state: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
      issued: ({ issuedAt }) => issuedAt,
      'last refresh': ({ rotatedAt }) => rotatedAt,
    },
    'there are no such sessions',
  );
}
