import { sessions } from '../../../projections/sessions.js';
import {
  listSessions,
  listSessionsRequest,
  revokedSummary,
  revokeSessions,
  revokeSessionsRequest,
} from '../../access/sessions/sessions.js';
import { viewCaughtUp } from '../../stores/read-model/follower.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { allItems, withView } from '../views.js';

type Options = { readonly client?: string; readonly session?: string };

export async function list(options: Options, { output, withStores }: CommandContext): Promise<void> {
  const filter = parseOptions(listSessionsRequest, withIds(options));
  const found = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return allItems(
      (after) => listSessions(readModel, filter, { after, limit: 1_000 }),
      (page) => page.sessions,
    );
  });
  printRows(
    output,
    found,
    {
      session: 'sessionId',
      organisation: 'orgId',
      user: 'userId',
      client: 'clientId',
      state: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
      issued: 'issuedAt',
      'last refresh': 'rotatedAt',
    },
    'there are no such sessions',
  );
}

export async function revoke(options: Options, { output, causeNow, withStores }: CommandContext): Promise<void> {
  const wanted = parseOptions(revokeSessionsRequest, withIds(options));
  const revoked = await withStores((stores) =>
    withView(stores, sessions, ({ store, readModel, viewPassed }) => {
      const dependencies = { store, readModel, sessionsCaughtUp: viewCaughtUp(store, 'session', viewPassed) };
      return allItems(
        (after) => revokeSessions(dependencies, wanted, { ...causeNow(), after }),
        (page) => page.sessions.map(revokedSummary),
      );
    }),
  );
  printRows(
    output,
    revoked,
    { revoked: 'sessionId', organisation: 'orgId', user: 'userId', client: 'clientId', issued: 'issuedAt' },
    'no active session matches: nothing changed',
  );
}

/** Throws `UsageError`: elsewhere the ID of a client is the option `--id`. */
function withIds({ client, session, ...options }: Options): object {
  if (client === '') throw new UsageError('--client must name a client');
  return { ...options, clientId: client, sessionId: session };
}
