import { listSessionsRoute, revokeSessionsRoute } from '../../admin/api/contracts/sessions.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printRows } from '../output.js';

type Options = { client?: string; session?: string };

export async function list(options: Options, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listSessionsRoute, withIds(options)),
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

export async function revoke(options: Options, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(revokeSessionsRoute, withIds(options)),
    { revoked: 'sessionId', organisation: 'orgId', user: 'userId', client: 'clientId', issued: 'issuedAt' },
    'no active session matches: nothing changed',
  );
}

/** Throws `UsageError`: elsewhere the ID of a client is the option `--id`. */
function withIds({ client, session, ...options }: Options) {
  if (client === '') throw new UsageError('--client must name a client');
  return { ...options, clientId: client, sessionId: session };
}
